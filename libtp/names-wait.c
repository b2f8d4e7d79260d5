/* SPDX-License-Identifier: MIT */
/*
 * Waiting for a name: one futex word for all, `changes`, and a word that says whether anybody may sleep on it, so that publishing makes no
 * system call when nobody does.
 *
 *	who waits                                 who publishes
 *	c = changes           (acquire)           CAS head                  (seq_cst)
 *	waiting = mark of c, unless a newer one stands there (seq_cst)
 *	                                          w = waiting               (seq_cst)
 *	fence                 (seq_cst)           if w: changes++, wake all (one step)
 *	look the name up
 *	sleep while changes == c                        CAS waiting, w to 0 (seq_cst)
 *
 * None is missed. In the one order of the seq_cst operations, either the publisher's look at `waiting` comes before our store: then its CAS
 * of the head comes before our fence, and the look-up sees the name. Or it comes after: then it finds our mark, that of one who came
 * later, or 0. The first two make it wake all. 0 is there only if another publisher has found our mark and cleared it after it had counted
 * `changes` up and woken all; as the mark says which count we saw, that was the count we would sleep on. So we do not sleep.
 * Nor do we if we have left a newer mark in its place: `changes` is not what we saw any more.
 *
 * A publisher that is stopped behind its CAS holds nobody up: the mark stands until all were woken, the next publisher wakes them, and who
 * waits looks again after 0.1 s. One that is killed wakes nobody, but its death does (tpi_wait). A sleeper that is killed leaves its mark:
 * one futile wake, once.
 *
 * Known weakness: every name published while somebody waits wakes all who wait for any.
 */
#include <errno.h>
#include <limits.h>

#include "counters.h"
#include "names.h"

/* Never 0. */
static uint32_t mark_of(uint32_t changes)
{
	return changes << 1 | 1;
}

void tpi_names_announce(void)
{
	struct tp_names *t = tpi_names();
	uint32_t waiting = __atomic_load_n(&t->waiting, __ATOMIC_SEQ_CST);

	if (tpi_likely(!waiting))
		return;
	tpi_count_and_wake(&t->changes, INT_MAX);
	__atomic_compare_exchange_n(&t->waiting, &waiting, 0, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

/* An older mark never takes the place of a newer one, whose owner sleeps: ours would be cleared by a publisher that has found one like it. */
uint32_t tpi_names_wait_mark(struct tp_names *t)
{
	uint32_t changes = __atomic_load_n(&t->changes, __ATOMIC_ACQUIRE), mark = mark_of(changes);
	uint32_t waiting = __atomic_load_n(&t->waiting, __ATOMIC_SEQ_CST);

	while (!(waiting && (int32_t)(waiting - mark) > 0) &&
		!__atomic_compare_exchange_n(&t->waiting, &waiting, mark, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return changes;
}

static bool usable(const struct tpi_name_hit *hit)
{
	return hit->index && (hit->alive || (hit->flags & TP_PUBLISH_KEEP));
}

static int timed_out(const struct tpi_name_key *key, struct tpi_name_hit *hit)
{
	const char *name = tpi_key_name_text(key);

	if (hit->index)
		return tpi_fail(-ETIMEDOUT, "waited for %s: its owner has died, and nobody has taken the name over", name);
	if (!hit->other)
		return tpi_fail(-ETIMEDOUT, "waited for %s: nobody has published it", name);
	((char *)hit->type)[TP_NAME_LENGTH_MAX] = '\0';
	return tpi_fail(-ETIMEDOUT, "waited for %s as a %s: it is there, but as a %s", name, tpi_key_type_text(key),
		(const char *)hit->type);
}

static int wait_for(const struct tpi_name_key *key, int64_t deadline, struct tpi_name_hit *hit)
{
	struct tp_names *t = tpi_names();

	for (;;) {
		uint32_t deaths = tpi_wait_begin();
		uint32_t changes = tpi_names_wait_mark(t);
		int r = tpi_names_find(key, hit);

		if (r < 0 || usable(hit))
			return r;
		if (tpi_wait_a_while(&t->changes, changes, deaths, deadline) < 0)
			return timed_out(key, hit);
	}
}

int tp_wait(const char *name, const char *type, int64_t timeout, struct tp_name *ret_name)
{
	struct tpi_name_key key;
	struct tpi_name_hit hit;
	int r = tpi_name_seek(name, type, ret_name, &key, &hit);

	if (r < 0)
		return r;
	if (!usable(&hit)) {
		r = tpi_name_legible(&key);
		if (!r)
			r = timeout == TP_NOWAIT ? timed_out(&key, &hit) : wait_for(&key, tpi_deadline(timeout), &hit);
		if (r < 0)
			return r;
	}
	return tpi_name_result(&key, &hit, ret_name);
}
