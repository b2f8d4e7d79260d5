/* SPDX-License-Identifier: MIT */
/* counter SECONDS FILE: rewrite FILE with a rising number until the time is over; shows that a
 * program lives. */
#include "guest.h"

#include <time.h>

int main(int argc, char **argv)
{
	struct timespec t = {0, 20000000};
	long n = 0, end;

	CHECK(argc == 3);
	end = time(NULL) + atol(argv[1]);
	while (time(NULL) < end) {
		FILE *f = fopen(argv[2], "w");

		CHECK(f);
		fprintf(f, "%ld\n", ++n);
		fclose(f);
		nanosleep(&t, NULL);
	}
	printf("counted to the end\n");
	return 0;
}
