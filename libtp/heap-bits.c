/* SPDX-License-Identifier: MIT */
/*
 * The hints: which units are probably free (busy), which of those hold memory (dirty), which shared slabs have room.
 *
 * A bit may be wrong at any time, and a death may leave it wrong for long; nothing but time is lost by that. Whoever meets a wrong bit mends
 * it, and heap-reap.c mends all. So no bit needs an order with owner[], but for one pair: who finds a unit taken that the bits call free
 * sets the bit, which must not overtake the owner's clearing it. See mend_busy in heap-run.c.
 */
#include "heap-engine.h"

static uint64_t mask(uint32_t from, uint32_t n)
{
	return (n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1) << from;
}

static uint32_t within_word(uint32_t from, uint32_t n)
{
	uint32_t room = 64 - from % 64;

	return n < room ? n : room;
}

/* Return: how many were clear. */
uint32_t tpi_bits_set(uint64_t *bits, uint32_t from, uint32_t n)
{
	uint32_t changed = 0;

	for (uint32_t step; n; from += step, n -= step) {
		uint64_t m;

		step = within_word(from, n);
		m = mask(from % 64, step);
		changed += (uint32_t)__builtin_popcountll(
			m & ~__atomic_fetch_or(&bits[from / 64], m, __ATOMIC_SEQ_CST));
	}
	return changed;
}

/* Return: how many were set. */
uint32_t tpi_bits_clear(uint64_t *bits, uint32_t from, uint32_t n)
{
	uint32_t changed = 0;

	for (uint32_t step; n; from += step, n -= step) {
		uint64_t m;

		step = within_word(from, n);
		m = mask(from % 64, step);
		changed += (uint32_t)__builtin_popcountll(
			m & __atomic_fetch_and(&bits[from / 64], ~m, __ATOMIC_SEQ_CST));
	}
	return changed;
}

/* How many units from `at` on, at most `most`, are alike (free if want is 0). */
static uint32_t alike(const uint64_t *bits, uint32_t at, uint32_t most, uint64_t want)
{
	uint32_t n = 0;

	while (n < most) {
		uint64_t differ = (tpi_get(bits[(at + n) / 64]) ^ want) >> (at + n) % 64;
		uint32_t room = 64 - (at + n) % 64, len = differ ? (uint32_t)__builtin_ctzll(differ) : room;

		n += len;
		if (len < room)
			break;
	}
	return n < most ? n : most;
}

bool tpi_bits_find(const struct tpi_heap_map *m, uint32_t units, uint32_t align, uint32_t *at)
{
	uint32_t i = *at;

	for (;;) {
		uint64_t next = tpi_unit_aligned(i, align);
		uint32_t n;

		if (next > m->units || units > m->units - next)
			return false;
		i = (uint32_t)next;
		n = alike(m->busy, i, units, 0);
		if (n == units)
			break;
		i += n;
		i += alike(m->busy, i, m->units - i, UINT64_MAX);
	}
	*at = i;
	return true;
}

static uint64_t *room_bits(const struct tpi_heap_map *m, uint32_t class_)
{
	return m->room + (uint64_t)class_ * m->room_words;
}

void tpi_room_add(const struct tpi_heap_map *m, uint32_t class_, uint32_t slab)
{
	if (tpi_bits_set(room_bits(m, class_), slab, 1))
		__atomic_fetch_add(&m->meta->rooms[class_], 1, __ATOMIC_RELAXED);
}

/* The lowest: low memory stays in use, high memory comes free. */
bool tpi_room_take(const struct tpi_heap_map *m, uint32_t class_, uint32_t *ret_slab)
{
	uint64_t *bits = room_bits(m, class_);
	uint32_t words = (tpi_get(m->meta->top) + 63) / 64;

	if (tpi_get(m->meta->rooms[class_]) <= 0)
		return false;
	for (uint32_t w = 0; w < words && w < m->room_words; w++) {
		uint64_t have = tpi_get(bits[w]);

		while (have) {
			uint32_t bit = (uint32_t)__builtin_ctzll(have);

			have &= have - 1;
			if (!tpi_bits_clear(bits, w * 64 + bit, 1))
				continue;
			__atomic_fetch_sub(&m->meta->rooms[class_], 1, __ATOMIC_RELAXED);
			*ret_slab = w * 64 + bit;
			return true;
		}
	}
	/* The count was wrong: a death between bit and count. */
	tpi_set(m->meta->rooms[class_], 0);
	return false;
}
