/* SPDX-License-Identifier: MIT */
#ifndef TP_LOADER_OWN_AUXV_H
#define TP_LOADER_OWN_AUXV_H

#include <stdbool.h>
#include <stdint.h>

/*
 * tpi_own_auxv - a value that the KERNEL gave to this process.
 *
 * getauxval will not do: glibc's answers AT_HWCAP with a mask of its own making on x86_64.
 *
 * Returns false if there is no such entry, and leaves ret_value alone. Thread-safe; the first call
 * reads /proc/self/auxv.
 */
bool tpi_own_auxv(uint64_t key, uint64_t *ret_value);

#endif
