/* SPDX-License-Identifier: MIT */
/*
 * lock-holder hold       publishes an account, takes its lock, leaves it half changed, and stays
 * lock-holder repair     waits for the lock; repairs what a dead holder has left, declares it consistent, unlocks
 * lock-holder neglect    the same, but does not repair
 * lock-holder audit      prints what the account says, without a lock
 */
#include "guest-tp.h"

struct account {
	struct tp_mutex mutex;
	int64_t ours, theirs;	/* their sum is 0 whenever the lock is free */
};

static struct account *find(void)
{
	struct tp_name n;

	RESULT(tp_wait("account", "account@1", SOON, &n), 0);
	return (struct account *)n.ptr;
}

static void hold(void)
{
	struct account *a = (struct account *)tp_calloc(1, sizeof(*a));

	CHECK(a);
	RESULT(tp_publish("account", a, "account@1", TP_PUBLISH_KEEP), 0);
	RESULT(tp_mutex_lock(&a->mutex), 0);
	a->ours += 100;
	say("holding");
	for (;;)
		pause();
}

static void come_after(int repairs)
{
	struct account *a = find();
	int r;

	say("waiting");
	r = tp_mutex_timedlock(&a->mutex, SOON);
	if (r == -ENOTRECOVERABLE) {
		say("lost");
		return;
	}
	if (r == -EOWNERDEAD) {
		say("owner died");
		if (repairs) {
			a->theirs = -a->ours;
			RESULT(tp_mutex_consistent(&a->mutex), 0);
		}
	} else {
		RESULT(r, 0);
		CHECK(a->ours + a->theirs == 0);
		a->ours++;
		a->theirs--;
		say("changed it");
	}
	RESULT(tp_mutex_unlock(&a->mutex), 0);
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	if (strcmp(argv[1], "hold") == 0)
		hold();
	else if (strcmp(argv[1], "audit") == 0)
		printf("%d %d\n", (int)find()->ours, (int)find()->theirs);
	else
		come_after(strcmp(argv[1], "repair") == 0);
	return 0;
}
