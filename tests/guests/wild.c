/* SPDX-License-Identifier: MIT */
/* wild ADDRESS: write a word to an address that belongs to somebody else, or to nobody. */
#include "guest.h"

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	*(volatile unsigned long *)strtoul(argv[1], NULL, 0) = 0x5a5a5a5a5a5a5a5a;
	puts("written");
	return 0;
}
