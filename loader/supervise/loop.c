/* SPDX-License-Identifier: MIT */
/* Watches and timers over one epoll. Timers are few (one a program that waits for something rare):
 * a list does. */
#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "supervise/loop.h"

enum { BATCH = 64 };

static int64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t tp_now_ms(void)
{
	return clock_ns(CLOCK_MONOTONIC) / 1000000;
}

int64_t tp_now_boot_ns(void)
{
	return clock_ns(CLOCK_BOOTTIME);
}

int tp_loop_init(struct tp_loop *loop)
{
	*loop = (struct tp_loop){.epoll_fd = epoll_create1(EPOLL_CLOEXEC)};
	LIST_INIT(&loop->timers);
	return loop->epoll_fd < 0 ? -errno : 0;
}

void tp_loop_fini(struct tp_loop *loop)
{
	if (loop->epoll_fd >= 0)
		close(loop->epoll_fd);
	loop->epoll_fd = -1;
}

int tp_loop_add(struct tp_loop *loop, struct tp_watch *watch, uint32_t events)
{
	struct epoll_event ev = {.events = events, .data.ptr = watch};

	return epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, watch->fd, &ev) < 0 ? -errno : 0;
}

void tp_loop_change(struct tp_loop *loop, struct tp_watch *watch, uint32_t events)
{
	struct epoll_event ev = {.events = events, .data.ptr = watch};

	epoll_ctl(loop->epoll_fd, EPOLL_CTL_MOD, watch->fd, &ev);
}

void tp_loop_remove(struct tp_loop *loop, struct tp_watch *watch)
{
	if (watch->fd >= 0)
		epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, watch->fd, NULL);
	watch->fd = -1;
}

void tp_timer_arm(struct tp_loop *loop, struct tp_timer *timer, int64_t in_ms)
{
	tp_timer_disarm(timer);
	timer->at_ms = tp_now_ms() + in_ms;
	timer->armed = true;
	LIST_INSERT_HEAD(&loop->timers, timer, link);
}

void tp_timer_disarm(struct tp_timer *timer)
{
	if (timer->armed)
		LIST_REMOVE(timer, link);
	timer->armed = false;
}

static struct tp_timer *earliest(struct tp_loop *loop)
{
	struct tp_timer *t, *first = NULL;

	LIST_FOREACH (t, &loop->timers, link)
		if (!first || t->at_ms < first->at_ms)
			first = t;
	return first;
}

static int timeout_ms(struct tp_loop *loop)
{
	struct tp_timer *first = earliest(loop);
	int64_t left;

	if (!first)
		return -1;
	left = first->at_ms - tp_now_ms();
	return left < 0 ? 0 : left > 60000 ? 60000 : (int)left;
}

static void fire_due(struct tp_loop *loop)
{
	struct tp_timer *t;
	int64_t now;

	if (LIST_EMPTY(&loop->timers))
		return;
	now = tp_now_ms();
	while ((t = earliest(loop)) && t->at_ms <= now) {
		tp_timer_disarm(t);
		t->fire(t);
	}
}

static void dispatch(const struct epoll_event *ev)
{
	struct tp_watch *watch = ev->data.ptr;

	if (watch->fd >= 0)
		watch->ready(watch, ev->events);
}

int tp_loop_run(struct tp_loop *loop)
{
	struct epoll_event ev[BATCH];

	while (!loop->stop) {
		int n = epoll_wait(loop->epoll_fd, ev, BATCH, timeout_ms(loop));

		if (n < 0 && errno != EINTR)
			return -errno;
		for (int i = 0; i < n && !loop->stop; i++)
			dispatch(&ev[i]);
		fire_due(loop);
		loop->settle(loop);
	}
	return 0;
}
