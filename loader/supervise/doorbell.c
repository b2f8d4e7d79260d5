/* SPDX-License-Identifier: MIT */
/*
 * Routed calls ring by adding to a futex in the segment. A thread of its own waits there and passes it on to the loop,
 * since epoll cannot wait for a futex. It sleeps after each ring: a program that rings without end costs little.
 */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "supervise/doorbell.h"
#include "supervise/reclaim.h"

enum { REST_US = 500, STACK = 64 << 10 };

static void *listen_forever(void *arg)
{
	struct tp_group *g = arg;
	uint32_t *bell = &g->seg.at->doorbell, heard = 0;
	uint64_t one = 1;

	for (;;) {
		uint32_t now = tp_seg_load(*bell);

		if (now == heard) {
			syscall(SYS_futex, bell, FUTEX_WAIT, heard, NULL, NULL, 0);
			continue;
		}
		heard = now;
		if (write(g->bell.fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
			return NULL;
		usleep(REST_US);
	}
}

static void on_bell(struct tp_watch *w, uint32_t events)
{
	struct tp_group *g = tp_container(w, struct tp_group, bell);
	struct tp_prog *p;
	uint64_t n;

	(void)events;
	if (read(w->fd, &n, sizeof(n)) < 0)
		return;
	LIST_FOREACH(p, &g->live, link)
		if (tp_seg_load(tp_seg_entry(&g->seg, p->index)->events) & TP_EVENT_EXEC)
			tp_reclaim_watch_exec(p);
}

int tp_doorbell_init(struct tp_group *g)
{
	pthread_attr_t attr;
	pthread_t thread;
	int r;

	g->bell = (struct tp_watch){eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), on_bell};
	if (g->bell.fd < 0)
		return -errno;
	r = tp_loop_add(&g->loop, &g->bell, EPOLLIN);
	if (r < 0)
		return r;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	r = pthread_create(&thread, &attr, listen_forever, g);
	pthread_attr_destroy(&attr);
	return -r;
}
