/* SPDX-License-Identifier: MIT */
/* On a terminal: print the size at the start and at each SIGWINCH; SIGINT is printed, SIGQUIT ends
 * it. */
#include "guest.h"

#include <signal.h>
#include <sys/ioctl.h>

static void on_signal(int n)
{
	(void)n;
}

static void show_size(void)
{
	struct winsize size;

	if (ioctl(0, TIOCGWINSZ, &size) == 0)
		printf("size %dx%d\n", size.ws_col, size.ws_row);
	else
		puts("no terminal");
}

int main(void)
{
	static const int watched[] = {SIGWINCH, SIGINT, SIGQUIT, SIGCONT};
	sigset_t set;
	int n;

	setvbuf(stdout, NULL, _IONBF, 0);
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof watched / sizeof *watched; i++) {
		signal(watched[i], on_signal);
		sigaddset(&set, watched[i]);
	}
	sigprocmask(SIG_BLOCK, &set, NULL);
	show_size();
	while (sigwait(&set, &n) == 0) {
		printf("got %s\n", n == SIGWINCH  ? "SIGWINCH"
				   : n == SIGINT  ? "SIGINT"
				   : n == SIGQUIT ? "SIGQUIT"
						  : "SIGCONT");
		if (n == SIGWINCH)
			show_size();
		if (n == SIGQUIT)
			return 42;
	}
	return 99;
}
