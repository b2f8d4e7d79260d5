/* SPDX-License-Identifier: MIT */
/* Whether a compiler can link a libFuzzer target at all. */
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return data && size ? 0 : 0;
}
