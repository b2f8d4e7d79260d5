/* SPDX-License-Identifier: MIT */
/* with-mdwe PROG ARGS...: run PROG where memory that was writable cannot be made executable. */
#include "guest.h"

#include <sys/prctl.h>

#ifndef PR_SET_MDWE
#define PR_SET_MDWE              65
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif

int main(int argc, char **argv)
{
	CHECK(argc > 1);
	if (prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) < 0)
		return 77;
	execvp(argv[1], argv + 1);
	return 97;
}
