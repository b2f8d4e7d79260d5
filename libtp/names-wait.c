/* SPDX-License-Identifier: MIT */
/*
 * Waiting for a name: one futex word for all, `changes`, and a flag that says whether anybody may sleep on it, so that publishing makes
 * no system call when nobody does.
 *
 *	who waits                                 who publishes
 *	c = changes           (acquire)           CAS head              (seq_cst)
 *	waiting = 1           (seq_cst)           waiting ?             (seq_cst)
 *	fence                 (seq_cst)             waiting = 0         (seq_cst)
 *	look the name up                            changes++           (acq_rel)
 *	sleep while changes == c                    wake all
 *
 * None is missed. In the one order of the seq_cst operations, either the publisher's look at `waiting` comes before our store: then its CAS
 * comes before our fence, and the look-up sees the name. Or it comes after and finds 1: then it counts `changes` up after it has cleared
 * the flag. Had we read the new count already, we would have read it before we set the flag, so the flag that was cleared was an
 * earlier one and ours still stands; so we have read the old count, and do not sleep, or are woken. Another who found the flag set clears
 * it on behalf of all sleepers, and all are woken; each sets it again before it sleeps again.
 *
 * A publisher that is killed behind its CAS wakes nobody, but its death does (tpi_wait). A sleeper that is killed leaves the flag
 * set: one futile wake, once. Known weakness: every name published while somebody waits wakes all who wait for any.
 */
#include <errno.h>
#include <limits.h>

#include "counters.h"
#include "names.h"

void tpi_names_announce(void)
{
	struct tp_names *t = tpi_names();

	if (tpi_likely(!__atomic_load_n(&t->waiting, __ATOMIC_SEQ_CST)))
		return;
	__atomic_store_n(&t->waiting, 0, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&t->changes, 1, __ATOMIC_ACQ_REL);
	tpi_wake(&t->changes, INT_MAX);
}

static bool usable(const struct tpi_name_hit *hit)
{
	return hit->index && (hit->alive || (hit->flags & TP_PUBLISH_KEEP));
}

static int timed_out(const struct tpi_name_key *key, struct tpi_name_hit *hit)
{
	const char *name = (const char *)key->name;

	if (hit->index)
		return tpi_fail(-ETIMEDOUT, "waited for %s: its owner has died, and nobody has taken the name over", name);
	if (!hit->other)
		return tpi_fail(-ETIMEDOUT, "waited for %s: nobody has published it", name);
	((char *)hit->type)[TP_NAME_LENGTH_MAX] = '\0';
	return tpi_fail(-ETIMEDOUT, "waited for %s as a %s: it is there, but as a %s", name, (const char *)key->type,
		(const char *)hit->type);
}

static int wait_for(const struct tpi_name_key *key, int64_t deadline, struct tpi_name_hit *hit)
{
	struct tp_names *t = tpi_names();

	for (;;) {
		uint32_t deaths = tpi_wait_begin();
		uint32_t changes = __atomic_load_n(&t->changes, __ATOMIC_ACQUIRE);
		int r;

		__atomic_exchange_n(&t->waiting, 1, __ATOMIC_SEQ_CST);
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		r = tpi_names_find(key, hit);
		if (r < 0 || usable(hit))
			return r;
		if (tpi_wait(&t->changes, changes, deaths, deadline) < 0)
			return timed_out(key, hit);
	}
}

int tp_wait(const char *name, const char *type, int64_t timeout, struct tp_name *ret_name)
{
	struct tpi_name_key key;
	struct tpi_name_hit hit;
	int r = tpi_ready();

	if (r < 0)
		return r;
	r = tpi_name_key(name, type, &key);
	if (r < 0)
		return r;
	r = tpi_names_find(&key, &hit);
	if (r < 0)
		return r;
	if (!usable(&hit)) {
		r = timeout == TP_NOWAIT ? timed_out(&key, &hit) : wait_for(&key, tpi_deadline(timeout), &hit);
		if (r < 0)
			return r;
	}
	return tpi_name_result(&key, &hit, ret_name);
}
