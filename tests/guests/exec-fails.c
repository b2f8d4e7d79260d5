/* SPDX-License-Identifier: MIT */
/*
 * A failed exec changes nothing: limits of the program, that it cannot raise again, hold for it alone as before. With a
 * file to write: the neighbour, which maps 4 GiB and waits.
 */
#include "guest.h"

#include <sys/mman.h>
#include <sys/resource.h>

static void must_fail(const char *path, int error)
{
	char name[] = "x", *argv[] = {name, NULL};

	execv(path, argv);
	CHECK(errno == error);
}

static int neighbour(const char *file)
{
	CHECK(mmap(NULL, 4ul << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED);
	FILE *f = fopen(file, "w");

	CHECK(f && fputs("mapped\n", f) > 0 && !fclose(f));
	return pause();
}

int main(int argc, char **argv)
{
	struct rlimit limit = {300ul << 20, 300ul << 20}, now;
	void *p;

	if (argc > 1)
		return neighbour(argv[1]);
	CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
	must_fail("/nonexistent/program", ENOENT);
	must_fail("/etc/passwd", EACCES);
	must_fail("/etc/passwd/x", ENOTDIR);
	p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	printf("a megabyte more: %s\n", p == MAP_FAILED ? strerror(errno) : "mapped");
	CHECK(getrlimit(RLIMIT_AS, &now) == 0);
	printf("limit %lu MiB\n", (unsigned long)now.rlim_cur >> 20);
	return 0;
}
