/* SPDX-License-Identifier: MIT */
/*
 * watcher [-a GROUP] [-s] LAST: prints arrivals and deaths until a program named LAST has died; -a: as a satellite; -s: reads slowly.
 * "ready" first. Each death must follow the arrival of that very id.
 */
#include "guest-tp.h"

#include <poll.h>
#include <time.h>

enum { MAX = 8192 };

static tp_id here[MAX];
static int nhere, nold; /* the first nold may have come between the watch and the look around */

static int find(tp_id id)
{
	for (int i = 0; i < nhere; i++)
		if (here[i] == id)
			return i;
	return -1;
}

static void take(const struct tp_event *e)
{
	int at = find(e->peer.id);

	if (e->kind == TP_EVENT_ARRIVED) {
		CHECK((at < 0 || at < nold) && nhere < MAX && e->peer.name[0] && e->peer.id);
		if (at < 0)
			here[nhere++] = e->peer.id;
		printf("arrived %s\n", e->peer.name);
	} else {
		CHECK(e->kind == TP_EVENT_DIED && at >= 0);
		here[at] = at < nold ? 0 : here[--nhere];
		printf("died %s %d\n", e->peer.name, e->wait_status);
	}
}

int main(int argc, char **argv)
{
	const struct timespec moment = {0, 300000000};
	struct tp_peer_info peers[64];
	struct tp_watch *w;
	struct tp_event e;
	struct pollfd p;
	int opt, slow = 0, n;

	while ((opt = getopt(argc, argv, "a:s")) != -1) {
		if (opt == 'a')
			RESULT(tp_attach(optarg), 0);
		else
			slow = 1;
	}
	RESULT(tp_watch_create(&w), 0);
	n = tp_peers(peers, 64);
	CHECK(n > 0 && n <= 64);
	for (int i = 0; i < n; i++)
		here[nhere++] = peers[i].id;
	nold = nhere;
	p.fd = tp_watch_fd(w);
	p.events = POLLIN;
	say("ready");
	for (;;) {
		CHECK(poll(&p, 1, 60000) == 1);
		if (slow)
			nanosleep(&moment, NULL);
		while ((n = tp_watch_next(w, &e)) == 1) {
			take(&e);
			if (e.kind == TP_EVENT_DIED && !strcmp(e.peer.name, argv[optind])) {
				fflush(stdout);
				CHECK(!tp_watch_destroy(w));
				return 0;
			}
		}
		CHECK(n == 0);
	}
}
