/* SPDX-License-Identifier: MIT */
/*
 * Who may look at a channel, and who frees it.
 *
 * A program that has found a channel's name may follow the pointer only while it says so in its registry entry (chan_busy), and only if
 * the name still stands AFTER it has said so:
 *
 *	enters                                frees
 *	chan_busy = c     (seq_cst)           name unpublished
 *	fence             (seq_cst)           fence                (seq_cst)
 *	name still there?                     anybody's chan_busy == c?
 *
 * One of them sees the other. Once inside it takes a lane, which keeps the channel by itself, and leaves. A program that has a lane, or is
 * the consumer, needs none of this.
 *
 * The last one to leave frees. Whoever leaves counts `leaving` up and, if it was the first, looks: consumer gone, all lanes free or of
 * dead programs? It then tries to set `leaving` back to 0, and looks again if others have come meanwhile: so the last look is later than
 * the last leaver's. Those others do not touch the channel after chan_busy = 0, for which the one that frees waits.
 *
 * Known weakness: a program that is killed in these lines leaves the channel's memory unused until the group ends; so does one that is
 * stopped inside them for longer than PATIENCE_NS. A producer that dies with a lane of a closed channel is noticed by whoever leaves next.
 */
#include "chan.h"
#include "spin.h"
#include <tp/heap.h>

enum { PATIENCE_NS = 50000000 };

void tpi_chan_enter(struct tpi_chan_process *p, struct tp_chan *c)
{
	tpi_spin_lock(&p->lock);
	__atomic_store_n(&tpi_self.entry->chan_busy, (uint64_t)(uintptr_t)c, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_SEQ_CST); /* partner: the fence in busy() */
}

void tpi_chan_leave(struct tpi_chan_process *p)
{
	__atomic_store_n(&tpi_self.entry->chan_busy, 0, __ATOMIC_RELEASE);
	tpi_spin_unlock(&p->lock);
}

/* Is another live program inside? */
static bool busy(const struct tp_chan *c)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST); /* partner: the fence in tpi_chan_enter */
	for (uint32_t i = 0; i < TP_REGISTRY_MAX; i++) {
		const struct tp_program *e = tpi_entry(i);

		if (i != tpi_self.index && __atomic_load_n(&e->chan_busy, __ATOMIC_ACQUIRE) == (uint64_t)(uintptr_t)c &&
			tpi_alive(__atomic_load_n(&e->id, __ATOMIC_ACQUIRE)))
			return true;
	}
	return false;
}

static bool all_have_left(const struct tp_chan *c)
{
	int64_t end = tpi_now() + PATIENCE_NS;

	while (busy(c)) {
		if (tpi_now() > end)
			return false;
		arch_relax();
	}
	return true;
}

static bool has_lane(uint32_t owner)
{
	return owner && !(owner & TP_LANE_CLOSING) && tpi_tag_alive(owner);
}

static bool wanted(const struct tp_chan *c)
{
	if (tpi_tag_alive(__atomic_load_n(&c->consumer, __ATOMIC_ACQUIRE)))
		return true;
	for (uint32_t i = 0; i < c->lanes_max; i++) {
		const struct tp_lane *l = tpi_lane(c, i);

		if (!l)
			break;
		if (has_lane(__atomic_load_n(&l->owner, __ATOMIC_ACQUIRE)))
			return true;
	}
	return false;
}

static void free_all(struct tp_chan *c)
{
	tpi_chan_drain(c);
	c->magic = 0;
	for (uint32_t i = 0; i < c->lanes_max && c->lane[i]; i++)
		tp_free((void *)(uintptr_t)c->lane[i]);
	tp_free(c);
}

void tpi_chan_free_if_last(struct tp_chan *c)
{
	uint32_t seen;

	if (!(__atomic_load_n(&c->attention, __ATOMIC_ACQUIRE) & TP_CHAN_CLOSED))
		return;
	if (__atomic_fetch_add(&c->leaving, 1, __ATOMIC_SEQ_CST) != 0)
		return;
	do {
		seen = __atomic_load_n(&c->leaving, __ATOMIC_SEQ_CST);
		if (!wanted(c) && all_have_left(c) && !wanted(c)) {
			free_all(c);
			return;
		}
	} while (!__atomic_compare_exchange_n(&c->leaving, &seen, 0, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
}
