/* SPDX-License-Identifier: MIT */
/*
 * brk-malloc [ROUNDS]: move the break by hand and malloc in turn, from the same heap, and look
 * whether any block was given twice. Run several at once: two programs with one break between them
 * overlap.
 */
#include "guest.h"

#include <sys/mman.h>

enum { SLOTS = 64 };

struct block {
	char *p;
	size_t n;
};

static void raise_break(struct block *raw, int i)
{
	raw->n = 4096 + (size_t)(i % 7) * 512;
	raw->p = sbrk((intptr_t)raw->n);
	CHECK(raw->p != (void *)-1);
	guest_fill(raw->p, raw->n, 1);
}

static void replace(struct block *b, int i)
{
	if (b->p) {
		CHECK(guest_intact(b->p, b->n, 2));
		free(b->p);
	}
	b->n = 16 + (size_t)(i * 2654435761u % 20000);
	b->p = malloc(b->n);
	CHECK(b->p);
	guest_fill(b->p, b->n, 2);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 2000;
	static struct block heap[SLOTS], raw[SLOTS];

	for (int i = 0; i < rounds; i++) {
		struct block *r = &raw[i % SLOTS];

		replace(&heap[(i * 7) % SLOTS], i);
		if (i % 3 == 0) {
			if (r->p)
				CHECK(guest_intact(r->p, r->n, 1));
			raise_break(r, i);
		}
	}
	for (int i = 0; i < SLOTS; i++) {
		CHECK(!heap[i].p || guest_intact(heap[i].p, heap[i].n, 2));
		CHECK(!raw[i].p || guest_intact(raw[i].p, raw[i].n, 1));
	}
	printf("patterns intact after %d rounds\n", rounds);
	return 0;
}
