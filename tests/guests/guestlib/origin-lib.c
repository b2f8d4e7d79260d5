/* SPDX-License-Identifier: MIT */
/* The library that lies in a folder beside the program and is found through $ORIGIN alone. */
const char *origin_lib_name(void);

const char *origin_lib_name(void)
{
	return "the library beside the program";
}
