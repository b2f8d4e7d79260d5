/* SPDX-License-Identifier: MIT */
/* dlopen with $ORIGIN in the path. */
#include "guest.h"

#include <dlfcn.h>

int main(void)
{
	void *lib = dlopen("$ORIGIN/guestlib/liborigin-lib.so", RTLD_NOW);
	const char *(*name)(void);

	if (!lib) {
		printf("%s\n", dlerror());
		return 1;
	}
	name = (const char *(*)(void))dlsym(lib, "origin_lib_name");
	printf("found %s\n", name());
	return 0;
}
