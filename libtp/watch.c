/* SPDX-License-Identifier: MIT */
/*
 * Arrivals and deaths. The supervisor adds 1 to an eventfd after each change of the registry; what
 * has changed is found by comparing the registry with what was seen. The eventfd is drained before
 * a round of comparing: a change behind that makes it readable again.
 *
 * What was seen lies in private memory, with the names, so that a death can be told even when the
 * entry is another program's already.
 */
#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>

#include "counters.h"
#include "fds.h"
#include "link.h"
#include "peer.h"
#include "syscall.h"

struct seen {
	struct tp_peer_info peer; /* id 0: nobody yet */
	bool alive;               /* its arrival was told, its death was not */
};

#define NO_WATCH "there is no watch at NULL"

struct tp_watch {
	int fd;
	uint32_t at; /* where the round of comparing is */
	bool round;
	struct seen seen[TP_REGISTRY_MAX];
};

/* Who is here already has arrived; one that is still starting will. */
static void look_around(struct tp_watch *w)
{
	uint32_t used = tpi_registry_used();
	struct tpi_peer p;

	for (uint32_t i = 0; i < used; i++) {
		if (!tpi_peer_read(i, &p) || p.info.state == TP_PEER_STARTING)
			continue;
		w->seen[i].peer = p.info;
		w->seen[i].alive = p.info.state == TP_PEER_RUNNING;
	}
}

int tp_watch_create(struct tp_watch **ret_watch)
{
	struct tp_watch *w;
	int r = tpi_ready_for(ret_watch);

	if (r < 0)
		return r;
	w = tpi_pages(sizeof(*w));
	if (!w)
		return tpi_fail(-ENOMEM, "no memory for a watch");
	w->fd = (int)arch_syscall3(ARCH_NR_eventfd2, 0, EFD_CLOEXEC | EFD_NONBLOCK, 0);
	r = w->fd < 0 ? tpi_fail(w->fd,
				"no eventfd for a watch: too many files are open (raise ulimit -n)")
		      : tpi_fds_watch(w->fd);
	if (r < 0) {
		tpi_link_close(w->fd);
		tpi_pages_free(w, sizeof(*w));
		return tpi_count_error(TP_CALL_WATCH, r);
	}
	look_around(w);
	*ret_watch = w;
	return 0;
}

/* In a forked child this is its own copy; the watch goes on in the parent. */
struct tp_watch *tp_watch_destroy(struct tp_watch *w)
{
	if (!w)
		return NULL;
	if (tpi_ready() == 0)
		tpi_fds_unwatch(w->fd);
	tpi_link_close(w->fd);
	tpi_pages_free(w, sizeof(*w));
	return NULL;
}

int tp_watch_fd(const struct tp_watch *w)
{
	return w ? w->fd : tpi_say(-EINVAL, NO_WATCH);
}

static int tell(struct tp_event *e, uint32_t kind, const struct tp_peer_info *peer, int32_t status)
{
	memset(e, 0, sizeof(*e));
	e->kind = kind;
	e->peer = *peer;
	e->wait_status = kind == TP_EVENT_DIED ? status : 0;
	return 1;
}

/* The one that was seen here has gone. */
static int tell_death(struct seen *s, const struct tpi_peer *now, struct tp_event *ret)
{
	bool known = now->info.id == s->peer.id;
	int32_t status = known && !now->left && !now->info.satellite ? now->wait_status : -1;

	s->alive = false;
	if (known)
		s->peer = now->info;
	s->peer.state = known ? now->info.state : TP_PEER_GONE;
	return tell(ret, TP_EVENT_DIED, &s->peer, status);
}

/* Another one than was seen here; one that ended before its first instruction was never here. */
static int tell_arrival(struct seen *s, const struct tpi_peer *now, struct tp_event *ret)
{
	if (now->info.state == TP_PEER_STARTING)
		return 0;
	s->peer = now->info;
	s->alive = now->started;
	return s->alive ? tell(ret, TP_EVENT_ARRIVED, &s->peer, 0) : 0;
}

static int compare(struct seen *s, uint32_t index, struct tp_event *ret)
{
	struct tpi_peer now;

	if (!tpi_peer_read(index, &now))
		return 0;
	if (s->alive && (now.info.id != s->peer.id || !tpi_peer_lives(&now.info)))
		return tell_death(s, &now, ret);
	return now.info.id != s->peer.id ? tell_arrival(s, &now, ret) : 0;
}

static void begin_round(struct tp_watch *w)
{
	uint64_t count;

	arch_syscall3(ARCH_NR_read, w->fd, (long)&count, sizeof(count));
	w->at = 0;
	w->round = true;
}

int tp_watch_next(struct tp_watch *w, struct tp_event *ret_event)
{
	uint32_t used;
	int r = tpi_ready_for(ret_event);

	if (r < 0)
		return r;
	if (!w)
		return tpi_say(-EINVAL, NO_WATCH);
	if (!w->round)
		begin_round(w);
	used = tpi_registry_used();
	while (w->at < used) {
		if (compare(&w->seen[w->at], w->at, ret_event))
			return 1; /* and look there again: a death may be followed by an arrival */
		w->at++;
	}
	w->round = false;
	return 0;
}
