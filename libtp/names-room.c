/* SPDX-License-Identifier: MIT */
/*
 * Which entries are free.
 *
 * claim[i] is the truth: tag 0 is free, and a CAS takes it. All else are hints that may be wrong: each thread remembers the entries that
 * it freed last; room[] has a bit for each that was freed and not remembered; `fresh` is where those begin that were never used; `limit`
 * keeps a small table together.
 *
 * An entry is given back by raising the count in its claim, which can be done once only: it does not matter who is first, its last user
 * or the search for what the dead have left. A late one finds another count and leaves it alone. The count comes round after 2^32 uses of
 * one entry.
 *
 * When all below `limit` are taken, tpi_names_sweep() takes back what the dead have left: names whose owner has died (unless kept), and entries
 * claimed by the dead that no chain holds, whatever they were killed in. The last entries, the reserve, are for copies alone. If that is little, the limit grows, so a sweep costs nothing
 * much per entry given out.
 */
#include <errno.h>

#include "names.h"

enum { LIMIT_FIRST = 4096, LIMIT_GROWTH = 4, LIMIT_MOST = TP_NAMES_ENTRIES - TP_NAMES_RESERVE };

static bool claim_free(struct tp_names *t, uint32_t index)
{
	uint64_t c = __atomic_load_n(&t->claim[index], __ATOMIC_RELAXED);

	if (TP_NAMES_CLAIM_TAG(c))
		return false;
	/* Acquire: after all that its last user did. */
	if (!__atomic_compare_exchange_n(&t->claim[index], &c, TP_NAMES_CLAIM(TP_NAMES_CLAIM_COUNT(c), tpi_self.tag), false,
		    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return false;
	/* Partner: the acquire fence of tpi_names_still. What is written to the entry comes after the head that has lost it. */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	return true;
}

static void mark_room(struct tp_names *t, uint32_t index)
{
	uint32_t low = __atomic_load_n(&t->low, __ATOMIC_RELAXED);

	if (index >= LIMIT_MOST)
		return;
	__atomic_fetch_or(&t->room[index / 64], UINT64_C(1) << index % 64, __ATOMIC_RELAXED);
	while (index / 64 < low && !__atomic_compare_exchange_n(&t->low, &low, index / 64, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* What a thread remembers: up to three indexes of 20 bits, in place of a pointer. */
enum { REMEMBERED_BITS = 20, REMEMBERED_MASK = (1 << REMEMBERED_BITS) - 1 };

static void on_thread_end(struct tpi_thread *thread)
{
	for (uint64_t r = (uintptr_t)thread->part[TPI_PART_NAMES]; r; r >>= REMEMBERED_BITS)
		if ((r & REMEMBERED_MASK) < TP_NAMES_ENTRIES)
			mark_room(tpi_names(), (uint32_t)(r & REMEMBERED_MASK));
}

__attribute__((constructor)) static void want_thread_ends(void)
{
	tpi_threads_at_end(TPI_PART_NAMES, on_thread_end);
}

static void remember(struct tp_names *t, uint32_t index)
{
	struct tpi_thread *self = tpi_thread();
	uint64_t remembered = self ? (uintptr_t)self->part[TPI_PART_NAMES] : UINT64_MAX;

	if (remembered >> 2 * REMEMBERED_BITS || index >= LIMIT_MOST)
		mark_room(t, index);
	else
		self->part[TPI_PART_NAMES] = (void *)(uintptr_t)(remembered << REMEMBERED_BITS | index);
}

static uint32_t take_remembered(struct tp_names *t)
{
	struct tpi_thread *self = tpi_thread();
	uint64_t remembered = self ? (uintptr_t)self->part[TPI_PART_NAMES] : 0;

	for (; remembered; remembered >>= REMEMBERED_BITS) {
		uint32_t index = (uint32_t)(remembered & REMEMBERED_MASK);

		self->part[TPI_PART_NAMES] = (void *)(uintptr_t)(remembered >> REMEMBERED_BITS);
		if (index && index < TP_NAMES_ENTRIES && claim_free(t, index))
			return index;
	}
	return 0;
}

/* Takes the bits away whether or not the entries turn out to be free. */
static uint32_t take_of_word(struct tp_names *t, uint32_t w)
{
	uint64_t bits = __atomic_load_n(&t->room[w], __ATOMIC_RELAXED);

	for (; bits; bits &= bits - 1) {
		uint32_t index = 64 * w + (uint32_t)__builtin_ctzll(bits);

		__atomic_fetch_and(&t->room[w], ~(bits & -bits), __ATOMIC_RELAXED);
		if (index && claim_free(t, index))
			return index;
	}
	return 0;
}

static uint32_t take_room(struct tp_names *t)
{
	uint32_t low = __atomic_load_n(&t->low, __ATOMIC_RELAXED), w, index = 0;

	for (w = low; w < TP_NAMES_ENTRIES / 64; w++) {
		index = take_of_word(t, w);
		if (index)
			break;
	}
	/* If somebody has moved it meanwhile, theirs is as good. */
	if (w != low)
		__atomic_compare_exchange_n(&t->low, &low, w, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	return index;
}

static uint32_t take_between(struct tp_names *t, uint32_t from, uint32_t end)
{
	for (uint32_t i = from ? from : 1; i < end; i++)
		if (claim_free(t, i))
			return i;
	return 0;
}

static uint32_t limit_of(const struct tp_names *t)
{
	uint32_t limit = __atomic_load_n(&t->limit, __ATOMIC_RELAXED);

	return limit < LIMIT_FIRST ? LIMIT_FIRST : limit > LIMIT_MOST ? LIMIT_MOST : limit;
}

static uint32_t take_fresh(struct tp_names *t)
{
	uint32_t limit = limit_of(t), fresh = __atomic_load_n(&t->fresh, __ATOMIC_RELAXED);
	uint32_t index = fresh < limit ? take_between(t, fresh, limit) : 0;

	if (fresh < limit)
		__atomic_compare_exchange_n(&t->fresh, &fresh, index ? index + 1 : limit, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	return index;
}

static uint32_t take_any(struct tp_names *t)
{
	uint32_t index = take_remembered(t);

	if (!index)
		index = take_room(t);
	return index ? index : take_fresh(t);
}

void tpi_names_free(uint32_t index, uint64_t claim)
{
	struct tp_names *t = tpi_names();
	uint32_t count = TP_NAMES_CLAIM_COUNT(claim);
	uint64_t now = __atomic_load_n(&t->claim[index], __ATOMIC_RELAXED);

	while (TP_NAMES_CLAIM_COUNT(now) == count && TP_NAMES_CLAIM_TAG(now)) {
		if (__atomic_compare_exchange_n(&t->claim[index], &now, TP_NAMES_CLAIM(count + 1, 0), false,
			    __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
			remember(t, index);
			return;
		}
	}
}

void tpi_names_answer_for(uint32_t index, uint64_t claim)
{
	if (TP_NAMES_CLAIM_TAG(claim) != tpi_self.tag)
		__atomic_compare_exchange_n(&tpi_names()->claim[index], &claim,
			TP_NAMES_CLAIM(TP_NAMES_CLAIM_COUNT(claim), tpi_self.tag), false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static int place_in(const struct tpi_name_chain *c, uint32_t index)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (c->index[i] == index)
			return (int)i;
	return -1;
}

/*
 * Return: it is free now. `claim` was read before: while the living fill the entry in, its hash may be anything. Whether they live is asked
 * BEFORE the chain is read: what the dead have put in place is then in it. All the dead of a chain go at once: one by one, the others would
 * be copied to where the sweep has been already.
 */
static bool take_back(struct tp_names *t, uint32_t index, uint64_t claim)
{
	bool gone = !tpi_tag_alive(TP_NAMES_CLAIM_TAG(claim));
	struct tpi_name_chain c;
	uint64_t dead;
	int at;

	if (tpi_names_chain((uint32_t)(tpi_name_word(&t->entry[index].hash) % TP_NAMES_BUCKETS), &c) < 0)
		return false;
	at = place_in(&c, index);
	if (at >= 0) {
		dead = tpi_names_dead(&c);
		return dead >> at & 1 && tpi_names_change(&c, dead, 0) == 0;
	}
	if (gone)
		tpi_names_free(index, claim);
	return gone;
}

uint32_t tpi_names_sweep(uint32_t from, uint32_t end)
{
	struct tp_names *t = tpi_names();
	uint32_t n = 0;

	for (uint32_t i = from; i < end; i++) {
		uint64_t claim = __atomic_load_n(&t->claim[i], __ATOMIC_ACQUIRE);

		if (TP_NAMES_CLAIM_TAG(claim) && !take_back(t, i, claim))
			continue;
		mark_room(t, i);
		n++;
	}
	return n;
}

/* More room, by sweeping, by growing, or by both. */
static bool make_room(struct tp_names *t)
{
	uint32_t limit = limit_of(t), was = __atomic_load_n(&t->limit, __ATOMIC_RELAXED);
	uint32_t n = tpi_names_sweep(1, limit);
	uint32_t more = limit > LIMIT_MOST / LIMIT_GROWTH ? LIMIT_MOST : limit * LIMIT_GROWTH;

	tpi_names_sweep(LIMIT_MOST, TP_NAMES_ENTRIES);
	if (n >= limit / 4 || limit == LIMIT_MOST)
		return n > 0;
	__atomic_compare_exchange_n(&t->limit, &was, more, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	return true;
}

uint32_t tpi_names_take(bool copy)
{
	struct tp_names *t = tpi_names();
	uint32_t index = take_any(t);

	/* A copy is made inside of a sweep, too: it does with the reserve. */
	if (!index && copy)
		return take_between(t, LIMIT_MOST, TP_NAMES_ENTRIES);
	while (!index && make_room(t))
		index = take_any(t);
	return index;
}
