/* SPDX-License-Identifier: MIT */
/*
 * A list of a million nodes, built in an arena, handed over whole, freed at once.
 *
 *	tprun run -- ./arena build ::: ./arena use
 */
#include <string.h>

#include "example.h"

struct node {
	struct node *next;
	long value;
};

struct list {
	struct tp_arena *arena;
	struct node *first;
};

static void build(void)
{
	struct tp_name receiver;
	struct tp_lane *lane;
	struct list *list;
	struct tp_arena *arena;

	check(tp_arena_create(&arena), "arena");
	list = check_memory(tp_arena_alloc(arena, sizeof(*list), 0));
	*list = (struct list){.arena = arena};
	for (long i = 0; i < 1000000; i++) {
		struct node *n = check_memory(tp_arena_alloc(arena, sizeof(*n), 0));

		*n = (struct node){.next = list->first, .value = i};
		list->first = n;
	}
	check(tp_chan_open("lists", "list@1", TP_FOREVER, &lane), "open");
	check(tp_wait("receiver", "id", TP_FOREVER, &receiver), "wait");
	/* The arena is the receiver's from here on, the pointer follows. */
	check(tp_arena_give(arena, receiver.owner), "give");
	check(tp_lane_send_lend(lane, list, TP_FOREVER), "send");
	tp_lane_close(lane);
}

static void use(void)
{
	static int mark;
	struct tp_chan *chan;
	struct tp_message m;
	struct list *list;
	long sum = 0;

	check(tp_chan_create("lists", "list@1", NULL, &chan), "create");
	check(tp_publish("receiver", &mark, "id", 0), "publish");
	check(tp_chan_recv(chan, TP_FOREVER, &m), "receive");
	list = m.ptr;
	for (struct node *n = list->first; n; n = n->next)
		sum += n->value;
	tp_chan_ack(chan, &m);
	tp_arena_destroy(list->arena);
	printf("sum %ld\n", sum);
	tp_chan_destroy(chan);
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "build") == 0)
		build();
	else
		use();
	return 0;
}
