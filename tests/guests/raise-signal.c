/* SPDX-License-Identifier: MIT */
/* raise-signal N: die of signal N, sent to itself; N that is caught by nobody and kills nobody:
 * exit 0. */
#include "guest.h"

#include <signal.h>

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	setvbuf(stdout, NULL, _IONBF, 0);
	printf("raising %s\n", argv[1]);
	CHECK(kill(getpid(), atoi(argv[1])) == 0);
	printf("survived\n");
	return 0;
}
