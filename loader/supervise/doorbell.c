/* SPDX-License-Identifier: MIT */
/*
 * Routed calls ring by adding to a futex in the segment. A thread of its own waits there and passes
 * it on to the loop, since epoll cannot wait for a futex. It sleeps after each ring: a program that
 * rings without end costs little.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "supervise/doorbell.h"
#include "supervise/fdkeep.h"
#include "supervise/reclaim.h"
#include "supervise/warn.h"

enum { REST_US = 500, STACK = 64 << 10, START_MS = 5 };

static void *listen_for_rings(void *arg)
{
	struct tp_group *g = arg;
	uint32_t *bell = &g->seg.at->doorbell, heard = 0;
	uint64_t one = 1;

	while (!__atomic_load_n(&g->bell_stop, __ATOMIC_ACQUIRE)) {
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
	return NULL;
}

static void answer(struct tp_prog *p, uint32_t events)
{
	if (events & TP_EVENT_EXEC)
		tp_reclaim_watch_exec(p);
	if (events & TP_EVENT_WARN)
		tp_warn(p);
	if (events & TP_EVENT_STARTED) {
		__atomic_fetch_and(&tp_seg_entry(&p->group->seg, p->index)->events, ~TP_EVENT_STARTED,
			__ATOMIC_ACQ_REL);
		tp_fdkeep_ring(p->group);
	}
	if (events & TP_EVENT_FATAL)
		__atomic_fetch_and(&tp_seg_entry(&p->group->seg, p->index)->events, ~TP_EVENT_FATAL,
			__ATOMIC_ACQ_REL);
}

/* Anybody may have set the bit: what counts is what is known here. */
static void answer_rung(struct tp_group *g, uint32_t index)
{
	struct tp_prog *p = &g->progs[index];

	if (p->id && !p->ended && !p->satellite)
		answer(p, tp_seg_load(tp_seg_entry(&g->seg, index)->events));
}

/* Partner: tpi_doorbell in loader/host/doorbell.c. The bits are taken after the bell was heard, and before the events are read: what
 * comes in between rings again. */
static void on_bell(struct tp_watch *w, uint32_t events)
{
	struct tp_group *g = tp_container(w, struct tp_group, bell);
	uint64_t n;

	(void)events;
	if (read(w->fd, &n, sizeof(n)) < 0)
		return;
	for (uint32_t i = 0; i < TP_REGISTRY_MAX; i += 64) {
		uint64_t *word = &g->seg.at->rung[i / 64], bits = tp_seg_load(*word);

		if (bits)
			bits = __atomic_exchange_n(word, 0, __ATOMIC_ACQ_REL);
		for (; bits; bits &= bits - 1)
			answer_rung(g, i + (uint32_t)__builtin_ctzll(bits));
	}
}

static void start_thread(struct tp_timer *t)
{
	struct tp_group *g = tp_container(t, struct tp_group, bell_start);
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	g->bell_listens = pthread_create(&g->bell_thread, &attr, listen_for_rings, g) == 0;
	pthread_attr_destroy(&attr);
	if (!g->bell_listens)
		tp_timer_arm(&g->loop, &g->bell_start, 20 * START_MS);
}

/* A group that ends at once needs no thread: what rings before it starts is heard then. */
int tp_doorbell_init(struct tp_group *g)
{
	int r;

	g->bell = (struct tp_watch){eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), on_bell};
	if (g->bell.fd < 0)
		return -errno;
	r = tp_loop_add(&g->loop, &g->bell, EPOLLIN);
	g->bell_start.fire = start_thread;
	tp_timer_arm(&g->loop, &g->bell_start, START_MS);
	return r;
}

/* Adding to the futex makes a wait that is just about to begin return as well. */
void tp_doorbell_fini(struct tp_group *g)
{
	if (!g->bell_listens)
		return;
	__atomic_store_n(&g->bell_stop, true, __ATOMIC_RELEASE);
	__atomic_fetch_add(&g->seg.at->doorbell, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &g->seg.at->doorbell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	pthread_join(g->bell_thread, NULL);
	g->bell_listens = false;
}
