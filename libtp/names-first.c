/* SPDX-License-Identifier: MIT */
/*
 * What was published last in a bucket, once more, in the line of its head: most look-ups wait for one line of memory instead of two or more.
 *
 * Layout: `first`, ptr, owner and text of struct tp_names_bucket. Invariant: while `first` is TP_NAMES_FIRST(c, flags), the words behind it
 * are those of the entry that change number c has put in front of the chain. Only who has made that change stores that value, and does so once
 * (the count comes round after 2^44), so a value of `first` never comes back.
 *
 *	reader                                    who writes
 *	h = head                (acquire)         CAS head: my entry is in front, c changes    (seq_cst)
 *	f = first               (acquire)         CAS first: BUSY, with my tag                 (acquire)
 *	both of the same count? else the chain    fence                                        (release)
 *	words                   (relaxed)         words                                        (relaxed)
 *	fence                   (acquire)         first = c                                    (release)
 *	first == f ?            (relaxed)
 *
 * If the reader has read a word of a later writer, the two fences meet, and it reads that writer's BUSY, or what came after. So the words are
 * those of change c; and c was the last change when the head was read: that is the moment at which the answer was true.
 *
 * Two writers never write at once: BUSY is taken by CAS, and from the living never taken away. Whoever finds it taken does without: the
 * chain has all. So does a writer that comes late: its count is not the head's any more, and nobody believes its words. One that is stopped
 * leaves the bucket without; one that was killed, until somebody publishes there again and finds its tag dead.
 *
 * Known weakness: entries further down the chain, and those whose bucket was changed behind them by an unpublish, are found by the chain only.
 */
#include "names.h"

static bool begin(struct tp_names_bucket *b)
{
	uint64_t first = __atomic_load_n(&b->first, __ATOMIC_RELAXED);

	if (tpi_unlikely(first & TP_NAMES_BUSY) && tpi_tag_alive(TP_NAMES_FIRST_TAG(first)))
		return false;
	if (!__atomic_compare_exchange_n(&b->first, &first, TP_NAMES_FIRST_BUSY(tpi_self.tag), false, __ATOMIC_ACQUIRE,
		    __ATOMIC_RELAXED))
		return false;
	/* Partner: the reader's fence. */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	return true;
}

void tpi_names_put_first(struct tp_names_bucket *b, uint64_t was, const struct tpi_name_key *key, const void *ptr, unsigned flags)
{
	uint64_t changes = TP_NAMES_HEAD_CHANGES(was) + 1;

	/* Late already: leave it to who came after. */
	if (key->nname + key->ntype > TP_NAMES_SHORT || TP_NAMES_HEAD_CHANGES(__atomic_load_n(&b->head, __ATOMIC_RELAXED)) != changes || !begin(b))
		return;
	__atomic_store_n(&b->ptr, (uint64_t)(uintptr_t)ptr, __ATOMIC_RELAXED);
	__atomic_store_n(&b->owner, tpi_self.id, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < TP_NAMES_SHORT; i++)
		__atomic_store_n(&b->text[i], key->words[i], __ATOMIC_RELAXED);
	__atomic_store_n(&b->first, TP_NAMES_FIRST(changes, flags & TP_PUBLISH_KEEP), __ATOMIC_RELEASE);
}
