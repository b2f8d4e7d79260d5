/* SPDX-License-Identifier: MIT */
/*
 * A library that is opened with RTLD_DEEPBIND prefers what it is linked to itself over what the program has: the C library's free over ours,
 * for blocks of ours. PHP opens its extensions so. Here nobody gets that flag: arch/<cpu>/dlopen.S.
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "region.h"

typedef void *dlopen_fn(const char *path, int mode);

extern dlopen_fn *tpi_dlopen_next TPI_HIDDEN;
dlopen_fn *tpi_dlopen_find(void) TPI_HIDDEN;

dlopen_fn *tpi_dlopen_next;

dlopen_fn *tpi_dlopen_find(void)
{
	dlopen_fn *f = (dlopen_fn *)dlsym(RTLD_NEXT, "dlopen");

	if (!f)
		abort();
	__atomic_store_n(&tpi_dlopen_next, f, __ATOMIC_RELAXED);
	return f;
}
