/* SPDX-License-Identifier: MIT */
/*
 * The auxiliary vector as the kernel made it. See own-auxv.h.
 */
#include "own-auxv.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifndef PR_GET_AUXV
#define PR_GET_AUXV 0x41555856
#endif

enum { ENTRIES = 64 };

static Elf64_auxv_t own[ENTRIES]; /* ends in AT_NULL, or is all zero, which is the same */

static void read_own(void)
{
	int fd = open("/proc/self/auxv", O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;

	/* The last entry stays zero whatever is read. */
	if (fd >= 0) {
		n = read(fd, own, sizeof(own) - sizeof(own[0]));
		close(fd);
	}
	if (n <= 0)
		prctl(PR_GET_AUXV, own, sizeof(own) - sizeof(own[0]), 0, 0);
}

bool tpi_own_auxv(uint64_t key, uint64_t *ret_value)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	uint64_t value;

	pthread_once(&once, read_own);
	for (const Elf64_auxv_t *a = own; a->a_type != AT_NULL; a++) {
		if (a->a_type == key) {
			*ret_value = a->a_un.a_val;
			return true;
		}
	}
	if (own[0].a_type != AT_NULL)
		return false;
	/* No /proc and an old kernel: better glibc's idea of the machine than none. */
	errno = 0;
	value = getauxval(key);
	if (value == 0 && errno != 0)
		return false;
	*ret_value = value;
	return true;
}
