/* SPDX-License-Identifier: MIT */
/*
 * A lock whose holder dies.
 *
 *	tprun run -- ./lock die ::: ./lock repair
 */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "example.h"

/* balance == paid_in - paid_out, whenever the lock is free */
struct account {
	struct tp_mutex mutex;
	long balance, paid_in, paid_out;
};

static void die_in_the_middle(void)
{
	struct account *a = check_memory(tp_calloc(1, sizeof(*a)));

	check(tp_mutex_lock(&a->mutex), "lock");
	check(tp_publish("account", a, "account@1", TP_PUBLISH_KEEP), "publish");
	a->paid_in += 100;
	raise(SIGKILL);		/* the balance does not know of it */
}

static void repair(void)
{
	struct tp_name found;
	struct account *a;
	int r;

	check(tp_wait("account", "account@1", TP_FOREVER, &found), "wait");
	a = found.ptr;
	r = tp_mutex_lock(&a->mutex);
	if (r == -EOWNERDEAD) {
		printf("its holder died: balance %ld, paid in %ld\n", a->balance, a->paid_in);
		a->balance = a->paid_in - a->paid_out;
		r = tp_mutex_consistent(&a->mutex);
	}
	check(r, "lock");
	printf("balance %ld\n", a->balance);
	tp_mutex_unlock(&a->mutex);
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "die") == 0)
		die_in_the_middle();
	else
		repair();
	return 0;
}
