/* SPDX-License-Identifier: MIT */
/*
 * Structures with pointers in them through a channel, and not a byte of them copied.
 *
 *	tprun run -- ./channel receive ::: ./channel send apple pear ::: ./channel send plum
 */
#include <errno.h>
#include <string.h>

#include "example.h"

struct fruit {
	char *name;		/* a block of its own */
	size_t weight;
};

static void send_all(char **names)
{
	struct tp_lane *lane;

	check(tp_chan_open("fruits", "fruit@1", TP_FOREVER, &lane), "open");
	for (; *names; names++) {
		struct fruit *f = check_memory(tp_malloc(sizeof(*f)));

		f->name = strcpy(check_memory(tp_malloc(strlen(*names) + 1)), *names);
		f->weight = strlen(*names) * 10;
		check(tp_lane_send_give(lane, f, TP_FOREVER), "send");
	}
	tp_lane_close(lane);
}

static void receive_all(void)
{
	struct tp_chan *chan;
	struct tp_message m;

	check(tp_chan_create("fruits", "fruit@1", NULL, &chan), "create");
	/* Until nobody has sent anything for a second. */
	for (;;) {
		int r = tp_chan_recv(chan, TP_SECOND, &m);
		struct fruit *f;

		if (r == -EPIPE)	/* all who have come so far have closed */
			continue;
		if (r == -ETIMEDOUT)
			break;
		check(r, "receive");
		f = m.ptr;
		printf("%s, %zu g\n", f->name, f->weight);
		/* First the acknowledgement, then the memory: if this program is killed in between, nobody gets a freed block. */
		tp_chan_ack(chan, &m);
		tp_free(f->name);
		tp_free(f);
	}
	tp_chan_destroy(chan);
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "send") == 0)
		send_all(argv + 2);
	else
		receive_all();
	return 0;
}
