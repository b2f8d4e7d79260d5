/* SPDX-License-Identifier: MIT */
/* Built with each sanitizer, to be recognised by plan-hints.c. */
int main(void)
{
	return 0;
}
