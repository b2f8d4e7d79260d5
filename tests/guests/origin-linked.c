/* SPDX-License-Identifier: MIT */
/* Linked against a library that only RPATH or RUNPATH with $ORIGIN can find. */
#include "guest.h"

extern const char *origin_lib_name(void);

int main(void)
{
	printf("found %s\n", origin_lib_name());
	return 0;
}
