/* SPDX-License-Identifier: MIT */
/*
 * One thread, one epoll: everything that the supervisor waits for is a watch or a timer embedded in
 * the object that it concerns. A callback may get a stale event of the same batch after its object
 * was reused, so every callback must be harmless when nothing is there.
 */
#ifndef TP_SUPERVISE_LOOP_H
#define TP_SUPERVISE_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/queue.h>

#define tp_container(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

struct tp_watch {
	int fd; /* -1: not watched */
	void (*ready)(struct tp_watch *watch, uint32_t events);
};

struct tp_timer {
	int64_t at_ms; /* CLOCK_MONOTONIC */
	bool armed;
	void (*fire)(struct tp_timer *timer);
	LIST_ENTRY(tp_timer) link;
};

struct tp_loop {
	int epoll_fd;
	bool stop;
	LIST_HEAD(, tp_timer) timers;
	void (*settle)(struct tp_loop *loop); /* after every batch: objects may be freed here */
};

int tp_loop_init(struct tp_loop *loop);
void tp_loop_fini(struct tp_loop *loop);

/* Return: 0 or negative errno of epoll_ctl. The descriptor stays the caller's. */
int tp_loop_add(struct tp_loop *loop, struct tp_watch *watch, uint32_t events);
void tp_loop_change(struct tp_loop *loop, struct tp_watch *watch, uint32_t events);
void tp_loop_remove(struct tp_loop *loop, struct tp_watch *watch);

/* Arming an armed timer moves it. */
void tp_timer_arm(struct tp_loop *loop, struct tp_timer *timer, int64_t in_ms);
void tp_timer_disarm(struct tp_timer *timer);

/* Runs until loop->stop. Return: 0 or negative errno. */
int tp_loop_run(struct tp_loop *loop);

int64_t tp_now_ms(void);      /* CLOCK_MONOTONIC */
int64_t tp_now_boot_ns(void); /* CLOCK_BOOTTIME, what the registry holds */

#endif
