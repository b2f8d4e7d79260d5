/* SPDX-License-Identifier: MIT */
/*
 * A program that handles SIGSEGV itself: before it does, the disposition must read as the default
 * one; then it must get every fault; and with the default back in place the fault must kill it.
 */
#include "guest.h"

#include <setjmp.h>
#include <signal.h>

static sigjmp_buf back;
static volatile int caught;
static volatile int *volatile nowhere = (int *)8;

static void on_fault(int n, siginfo_t *info, void *context)
{
	(void)context;
	CHECK(n == SIGSEGV && info->si_addr == (void *)8);
	caught++;
	siglongjmp(back, 1);
}

static void poke(void)
{
	*nowhere = 1;
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO}, old;
	static const int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS, SIGTRAP};

	setvbuf(stdout, NULL, _IONBF, 0);
	for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
		CHECK(sigaction(fatal[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL &&
			old.sa_flags == 0);
	CHECK(sigaction(SIGSEGV, &action, &old) == 0 && old.sa_handler == SIG_DFL);
	for (volatile int i = 0; i < 1000; i++)
		if (sigsetjmp(back, 1) == 0)
			poke();
	printf("caught %d\n", caught);
	action.sa_handler = SIG_DFL;
	CHECK(sigaction(SIGSEGV, &action, &old) == 0 && old.sa_sigaction == on_fault);
	poke();
	return 98;
}
