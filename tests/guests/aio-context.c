/* SPDX-License-Identifier: MIT */
/* aio-context [COUNT]: kernel aio contexts by the raw system call; they are left behind on purpose.
 */
#include "guest.h"

#include <linux/aio_abi.h>
#include <sys/syscall.h>

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;

	for (int i = 0; i < n; i++) {
		aio_context_t context = 0;

		CHECK(syscall(SYS_io_setup, 64, &context) == 0 && context);
	}
	printf("%d contexts\n", n);
	return 0;
}
