/* SPDX-License-Identifier: MIT */
/* Real code for aarch64: this machine's own, or that of a root for it (tests/vm/root). */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const subjects[] = {
	"/usr/lib/aarch64-linux-gnu/libc.so.6",	      "/usr/lib/aarch64-linux-gnu/ld-linux-aarch64.so.1",
	"/usr/lib/ld-musl-aarch64.so.1",	      "/usr/lib/aarch64-linux-gnu/libstdc++.so.6",
	"/usr/lib/aarch64-linux-gnu/libm.so.6",	      "/usr/bin/busybox",
	"/usr/bin/python3.11",
};
enum { SUBJECTS = sizeof(subjects) / sizeof(subjects[0]), LIBC = 0, BUSYBOX = 5 };

static inline const char *root_for_aarch64(char *buf, size_t size)
{
	const char *place = getenv("TPRUN_ARM64"), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

#ifdef NATIVE
	(void)size;
	(void)place;
	(void)cache;
	(void)home;
	buf[0] = 0;
#else
	if (place)
		snprintf(buf, size, "%s/root", place);
	else if (cache)
		snprintf(buf, size, "%s/tprun-arm64/root", cache);
	else
		snprintf(buf, size, "%s/.cache/tprun-arm64/root", home ? home : "");
#endif
	return buf;
}

/* Return: false if it is not there. */
static inline bool subject(int k, char *ret, size_t size)
{
	char root[512];

	snprintf(ret, size, "%s%s", root_for_aarch64(root, sizeof(root)), subjects[k]);
	return access(ret, R_OK) == 0;
}
