/* SPDX-License-Identifier: MIT */
/* exec-self [path|fd|readlink]: what /proc/self/exe is, and what runs when it is executed. */
#include "guest.h"

#include <fcntl.h>
#include <sys/stat.h>

extern char **environ;

static void read_self(void)
{
	char link[4096], by_pid[64], link2[4096];
	ssize_t n = readlink("/proc/self/exe", link, sizeof link), n2;

	CHECK(n > 0);
	snprintf(by_pid, sizeof by_pid, "/proc/%d/exe", getpid());
	n2 = readlinkat(AT_FDCWD, by_pid, link2, sizeof link2);
	CHECK(n2 == n && memcmp(link, link2, (size_t)n) == 0);
	printf("exe is %.*s\n", (int)n, link);
	/* A buffer that is too small gets a prefix, not an error. */
	CHECK(readlink("/proc/self/exe", link2, 3) == 3 && memcmp(link, link2, 3) == 0);
}

/* Opening it gives the program's own file: the one that argv[0] names. */
static void open_self(const char *path)
{
	struct stat a, b;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	CHECK(fd >= 0 && fstat(fd, &a) == 0 && stat(path, &b) == 0);
	printf("opened %s\n",
		a.st_ino == b.st_ino && a.st_dev == b.st_dev ? "itself" : "another file");
	close(fd);
}

int main(int argc, char **argv)
{
	char word[] = "again", *again[] = {argv[0], word, NULL};

	setvbuf(stdout, NULL, _IONBF, 0);
	read_self();
	if (argc > 1 && strcmp(argv[1], "again") == 0) {
		puts("second life");
		return 21;
	}
	open_self(argv[0]);
	if (argc > 1 && strcmp(argv[1], "fd") == 0)
		fexecve(open("/proc/self/exe", O_RDONLY | O_CLOEXEC), again, environ);
	else
		execv("/proc/self/exe", again);
	return 97;
}
