/* SPDX-License-Identifier: MIT */
/* A multi-call program: its purpose is the name it was called by. */
#include "guest.h"

int main(int argc, char **argv)
{
	(void)argc;
	printf("called as %s (%s), file %s\n", argv[0], program_invocation_short_name,
		basename(program_invocation_name));
	return 0;
}
