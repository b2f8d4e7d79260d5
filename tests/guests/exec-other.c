/* SPDX-License-Identifier: MIT */
/* exec-other [-f] PROG ARGS...: a failed exec first if asked, which must change nothing; then PROG.
 */
#include "guest.h"

int main(int argc, char **argv)
{
	char name[] = "none", *none[] = {name, NULL};
	int i = 1;

	CHECK(argc > 1);
	if (strcmp(argv[i], "-f") == 0) {
		CHECK(execv("/nonexistent/program", none) < 0 && errno == ENOENT);
		CHECK(execv("/etc/passwd", none) < 0 && errno == EACCES);
		free(malloc(1 << 20));
		i++;
	}
	printf("pid stays %d\n", getpid());
	fflush(stdout);
	execvp(argv[i], argv + i);
	return 97;
}
