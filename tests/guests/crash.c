/* SPDX-License-Identifier: MIT */
/* crash null|write|stack|thread|thread-stack|abort|fpe|ill|bus: die in the given way. */
#include "guest.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

static volatile int sink;
/* Hidden from the compiler, which would otherwise refuse to believe in it. */
static volatile int *volatile nowhere = (int *)8;
static volatile int bottomless = 1;

/* Each frame is touched, so that the stack is walked down page by page into its guard. */
__attribute__((noinline)) static int dig(int depth)
{
	volatile char frame[512];

	frame[0] = (char)depth;
	return bottomless ? dig(depth + 1) + frame[0] : 0;
}

static void null_read(void)
{
	sink = *nowhere;
}

static void *on_thread(void *how)
{
	if (strcmp(how, "thread-stack") == 0)
		sink = dig(0);
	null_read();
	return NULL;
}

/* Behind the end of a file there is no page: SIGBUS. */
static void bus(void)
{
	FILE *f = tmpfile();
	char *p;

	CHECK(f);
	p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(f), 0);
	CHECK(p != MAP_FAILED);
	sink = *(volatile char *)p;
}

/* Not every processor minds: then the signal is sent instead. */
static void divide(void)
{
	volatile int zero = 0;

	sink = sink / zero;
	raise(SIGFPE);
}

/* All ones are no instruction anywhere. (A compiler's trap is one that debuggers use, in places.) */
static void illegal(void)
{
	char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	memset(p, 0xff, 4096);
	CHECK(mprotect(p, 4096, PROT_READ | PROT_EXEC) == 0);
	__builtin___clear_cache(p, p + 4096);
	((void (*)(void))p)();
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "null";
	pthread_t thread;

	if (strcmp(how, "null") == 0)
		null_read();
	else if (strcmp(how, "write") == 0)
		*nowhere = 1;
	else if (strcmp(how, "stack") == 0)
		sink = dig(0);
	else if (strcmp(how, "abort") == 0)
		abort();
	else if (strcmp(how, "fpe") == 0)
		divide();
	else if (strcmp(how, "ill") == 0)
		illegal();
	else if (strcmp(how, "bus") == 0)
		bus();
	else if (pthread_create(&thread, NULL, on_thread, argv[1]) == 0)
		pthread_join(thread, NULL);
	printf("still alive\n");
	return 98;
}
