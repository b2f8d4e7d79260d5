/* SPDX-License-Identifier: MIT */
/* tls-dlopen LIBRARY [hold]: dlopen a library with initial-exec TLS late, and use it from two
 * threads. */
#include "guest.h"

#include <dlfcn.h>
#include <pthread.h>

static int (*bump)(int);

static void *on_thread(void *arg)
{
	CHECK(bump(5) == 5);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	void *lib;

	CHECK(argc > 1);
	lib = dlopen(argv[1], RTLD_NOW);
	if (!lib) {
		printf("%s\n", dlerror());
		return 1;
	}
	bump = (int (*)(int))dlsym(lib, "tls_lib_bump");
	CHECK(bump && bump(3) == 3 && bump(4) == 7);
	CHECK(pthread_create(&thread, NULL, on_thread, NULL) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	CHECK(bump(0) == 7);
	puts("thread-local memory of the library works");
	fflush(stdout);
	if (argc > 2)
		getchar();
	return 0;
}
