/* SPDX-License-Identifier: MIT */
/* check: is the memory of --shared-malloc sound? Prints "sound"; linked with nothing of this project: the preloaded library has the call. */
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
	int (*check)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "tp_malloc_check");
	int r = check ? check() : -1;

	printf(r == 0 ? "sound\n" : check ? "damaged: %d\n" : "libtp-malloc.so is not loaded\n", r);
	return r != 0;
}
