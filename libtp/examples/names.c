/* SPDX-License-Identifier: MIT */
/*
 * A pointer under a name.
 *
 *	tprun run -g g -- ./names put 'any text'        and, in another terminal,
 *	tprun exec -g g -- ./names get
 */
#include <string.h>
#include <unistd.h>

#include "example.h"

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "put") == 0) {
		/* argv lies in this program's own memory: good for the others as long as this program runs. */
		check(tp_publish("greeting", argv[2], "text", 0), "publish");
		puts("published");
		fflush(stdout);
		pause();
	} else {
		struct tp_name found;

		check(tp_wait("greeting", "text", 10 * TP_SECOND, &found), "wait");
		puts(found.ptr);
	}
	return 0;
}
