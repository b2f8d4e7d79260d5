/* SPDX-License-Identifier: MIT */
/* Linked with an executable stack: code written there must run. */
#include "guest.h"

int main(void)
{
	/* mov $42,%eax; ret */
	volatile unsigned char code[] = {0xb8, 42, 0, 0, 0, 0xc3};
	int (*run)(void) = (int (*)(void))(void *)code;

	printf("the stack returned %d\n", run());
	return 0;
}
