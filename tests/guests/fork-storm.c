/* SPDX-License-Identifier: MIT */
/* fork-storm [N]: N children, each of which checks the memory it was born with and dirties it. */
#include "guest.h"

#include <sys/mman.h>
#include <sys/wait.h>

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 200;
	enum { SIZE = 1 << 20 };
	char *map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *heap = malloc(SIZE);

	CHECK(map != MAP_FAILED && heap);
	for (int i = 0; i < n; i++) {
		int status;
		pid_t pid;

		memset(map, i, SIZE);
		memset(heap, i, SIZE);
		pid = fork();
		CHECK(pid >= 0);
		if (pid == 0) {
			for (int j = 0; j < SIZE; j += 4096)
				CHECK(map[j] == (char)i && heap[j] == (char)i);
			memset(map, 255, SIZE);
			_exit(0);
		}
		CHECK(waitpid(pid, &status, 0) == pid && status == 0);
		CHECK(map[SIZE - 1] == (char)i);
	}
	printf("%d children saw their memory\n", n);
	return 0;
}
