/* SPDX-License-Identifier: MIT */
/*
 * A channel, and the deaths of others, in a poll loop.
 *
 *	tprun run -- ./poll ::: ./channel send apple pear
 */
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "example.h"

struct fruit {
	char *name;
	size_t weight;
};

/* Everything that is there; then the eventfd is armed. */
static int take_all(struct tp_chan *chan)
{
	struct tp_message m;
	int n = 0;

	do {
		while (tp_chan_recv(chan, TP_NOWAIT, &m) == 0) {
			struct fruit *f = m.ptr;

			printf("%s\n", f->name);
			tp_chan_ack(chan, &m);
			tp_free(f->name);
			tp_free(f);
			n++;
		}
	} while (check(tp_chan_arm(chan), "arm") == 1 && n < 1000);
	return n;
}

int main(void)
{
	struct tp_watch *watch;
	struct tp_chan *chan;
	struct tp_event event;
	struct pollfd fds[2];
	int fruits = 0, deaths = 0;

	/* First the watch: who finds the channel may have sent and ended a moment later. */
	check(tp_watch_create(&watch), "watch");
	check(tp_chan_create("fruits", "fruit@1", NULL, &chan), "create");
	fds[0] = (struct pollfd){.fd = check(tp_chan_fd(chan), "fd"), .events = POLLIN};
	fds[1] = (struct pollfd){.fd = check(tp_watch_fd(watch), "fd"), .events = POLLIN};
	fruits += take_all(chan);
	while (!deaths || !fruits) {
		if (poll(fds, 2, 10000) <= 0)
			return 1;
		fruits += take_all(chan);
		while (tp_watch_next(watch, &event) == 1) {
			if (event.kind != TP_EVENT_DIED)
				continue;
			printf("%s has ended\n", event.peer.name);
			deaths++;
		}
	}
	tp_watch_destroy(watch);
	tp_chan_destroy(chan);
	return 0;
}
