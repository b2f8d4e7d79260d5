/* SPDX-License-Identifier: MIT */
/* tiny: start and exit. */
int main(void)
{
	return 0;
}
