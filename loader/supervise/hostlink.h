/* SPDX-License-Identifier: MIT */
/*
 * The host process and the socket to it: one request, one reply.
 *
 * A reply may be awaited later: the next request then waits for it first. The host lives in memory
 * that every program can write, so whatever it says is checked; one that answers nonsense, or
 * nothing in time, is killed. Without a host running programs go on, but none can be started and no
 * memory comes back.
 */
#ifndef TP_SUPERVISE_HOSTLINK_H
#define TP_SUPERVISE_HOSTLINK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "error.h"
#include "supervise/loop.h"
#include "supervise/segment.h"
#include "tp/abi/hostmsg.h"

typedef void tp_host_done_fn(void *arg, int error);

struct tp_hostlink {
	int sock; /* not watched: replies are looked for when they are due or needed */
	struct tp_timer look;
	struct tp_watch death; /* the pidfd */
	struct tp_loop *loop;
	pid_t pid;
	bool alive;
	uint32_t seq;
	tp_host_done_fn *done; /* a reply is still to come */
	void *done_arg;
	struct tp_host_hello hello;
	struct rlimit limits[TP_RLIMITS]; /* what every program starts from */
	int nice;
	char gone[128]; /* why there is no host any more */
};

/* Starts the host, which then gets ready by itself. */
int tp_hostlink_start(struct tp_hostlink *host, struct tp_loop *loop, const char *path,
	const struct tp_seg *seg, const char *group, struct tp_error *err);

/* Waits for its greeting: before anything else is asked of it. */
int tp_hostlink_greet(struct tp_hostlink *host, struct tp_error *err);

/*
 * Sends a request with descriptors, waits for its reply.
 * Return: 0 (then see ret->error); -EHOSTDOWN: no host (see host->gone).
 */
int tp_hostlink_call(struct tp_hostlink *host, void *msg, size_t len, const int *fds, uint32_t nfds,
	struct tp_host_result *ret);

/* The same without waiting; `done` is called exactly once, at the latest before the next request or
 * at the death. */
int tp_hostlink_post(
	struct tp_hostlink *host, void *msg, size_t len, tp_host_done_fn *done, void *arg);

/* Waits for the reply to a post, if one is due. */
void tp_hostlink_drain(struct tp_hostlink *host);

/* Lets it go on if it was stopped. */
void tp_hostlink_continue(struct tp_hostlink *host);

/* It is not to be believed any more: kills it. `why` is for people; the first cause stays. */
void tp_hostlink_lose(struct tp_hostlink *host, const char *why);

/* Kills, reaps, closes. */
void tp_hostlink_stop(struct tp_hostlink *host);

#endif
