/* SPDX-License-Identifier: MIT */
/*
 * lock-memory FILE: lock a megabyte, say so in FILE, and tell when FILE is gone whether it is still locked.
 * lock-memory: lock and unlock everything; what is mapped afterwards must not be locked.
 */
#include "guest.h"

#include <stdbool.h>
#include <sys/mman.h>

enum { SIZE = 1 << 20 };

static char *map(void)
{
	char *p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	return p;
}

/* The flags of the mapping that holds p, as the kernel lists them. */
static bool is_locked(const char *p)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	unsigned long from, to, at = (unsigned long)p;
	bool inside = false, locked = false;
	char line[512];

	CHECK(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
			inside = at >= from && at < to;
		else if (inside && !strncmp(line, "VmFlags:", 8))
			locked = strstr(line, " lo") != NULL;
	}
	fclose(f);
	return locked;
}

static void keep_locked(const char *file)
{
	char *p = map();
	FILE *f;

	CHECK(mlock(p, SIZE) == 0);
	f = fopen(file, "w");
	CHECK(f && fputs("locked\n", f) > 0 && !fclose(f));
	while (!access(file, F_OK))
		usleep(10000);
	printf("still locked: %s\n", is_locked(p) ? "yes" : "no");
}

static void lock_and_unlock(void)
{
	CHECK(mlockall(MCL_CURRENT | MCL_FUTURE) == 0);
	printf("mapped after mlockall: %s\n", is_locked(map()) ? "locked" : "not locked");
	CHECK(munlockall() == 0);
	printf("mapped after munlockall: %s\n", is_locked(map()) ? "locked" : "not locked");
}

int main(int argc, char **argv)
{
	if (argc > 1)
		keep_locked(argv[1]);
	else
		lock_and_unlock();
	return 0;
}
