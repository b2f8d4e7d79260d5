/* SPDX-License-Identifier: MIT */
/*
 * blocks send N       sends N numbered blocks, then waits until all are acknowledged; says when backpressure came
 * blocks die          becomes the consumer, receives 100 blocks, acknowledges none, and kills itself
 * blocks take N       becomes the consumer, receives, acknowledges and frees N blocks: each number, in order
 * blocks slow N       the same, but does not begin before the producer was told to wait
 * blocks usage        blocks and bytes in use in the heap
 */
#include "guest-tp.h"

#include <signal.h>

enum { HELD = 100, SIZE = 4096 };

struct block {
	uint64_t number;
	char rest[SIZE - sizeof(uint64_t)];
};

static struct tp_chan *consumer(void)
{
	struct tp_chan_options options;
	struct tp_chan *c;
	int r, tries = 0;

	memset(&options, 0, sizeof(options));
	options.size = sizeof(options);
	options.capacity = 128;
	options.lanes = 4;
	/* The one before may not have been reaped yet. */
	while ((r = tp_chan_create("blocks", "block@1", &options, &c)) == -EEXIST) {
		CHECK(++tries < 30000);
		usleep(1000);
	}
	RESULT(r, 0);
	return c;
}

static void send_all(uint64_t n)
{
	struct tp_lane *l;
	uint64_t acknowledged = 0;
	int backpressure = 0;

	RESULT(tp_chan_open("blocks", "block@1", SOON, &l), 0);
	say("open");
	for (uint64_t i = 0; i < n; i++) {
		struct block *b = (struct block *)tp_calloc(1, sizeof(*b));
		int r;

		CHECK(b);
		b->number = i;
		while ((r = tp_lane_send_give(l, b, TP_NOWAIT)) != 0) {
			CHECK(r == -EAGAIN || r == -EOWNERDEAD);
			if (r == -EAGAIN && !backpressure++)
				say("backpressure");
			usleep(1000);
		}
	}
	say("sent");
	while (acknowledged < n) {
		RESULT(tp_lane_acknowledged(l, &acknowledged), 0);
		usleep(1000);
	}
	l = tp_lane_close(l);
	say("acknowledged");
}

static void receive(struct tp_chan *c, struct tp_message *m)
{
	int r;

	do
		r = tp_chan_recv(c, SOON, m);
	while (r == -EOWNERDEAD);
	RESULT(r, 0);
	CHECK(m->given);
}

static void die_holding(void)
{
	struct tp_chan *c = consumer();
	struct tp_message m;

	for (uint64_t i = 0; i < HELD; i++) {
		receive(c, &m);
		CHECK(((struct block *)m.ptr)->number == i);
	}
	raise(SIGKILL);
}

static void take(uint64_t n, int slow)
{
	struct tp_chan *c = consumer();
	struct tp_message m;
	uint64_t repeated = 0;

	say("ready");
	if (slow)
		CHECK(getchar() != EOF);
	for (uint64_t i = 0; i < n; i++) {
		struct block *b;

		receive(c, &m);
		b = (struct block *)m.ptr;
		CHECK(b->number == i);
		repeated += m.repeated;
		RESULT(tp_chan_ack(c, &m), 0);
		RESULT(tp_free(b), 0);
	}
	printf("%d taken, %d of them repeated\n", (int)n, (int)repeated);
	c = tp_chan_destroy(c);
}

static void usage(void)
{
	struct tp_heap_usage u;

	RESULT(tp_heap_check(), 0);
	RESULT(tp_heap_stats(0, &u), 0);
	printf("%lu %lu\n", (unsigned long)u.blocks, (unsigned long)u.bytes);
}

int main(int argc, char **argv)
{
	uint64_t n = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;

	CHECK(argc >= 2);
	if (strcmp(argv[1], "send") == 0)
		send_all(n);
	else if (strcmp(argv[1], "die") == 0)
		die_holding();
	else if (strcmp(argv[1], "usage") == 0)
		usage();
	else
		take(n, strcmp(argv[1], "slow") == 0);
	return 0;
}
