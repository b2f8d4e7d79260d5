/* SPDX-License-Identifier: MIT */
/*
 * See satellites.h. Who asks is known by the pid that the kernel noted when the connection was
 * made. A program is our child, so its pid is its own until it is reaped; a connection that is
 * older than the program is not its own. A satellite is told by its pidfd.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "supervise/end.h"
#include "supervise/fdkeep.h"
#include "supervise/invited.h"
#include "supervise/peer.h"
#include "supervise/registry.h"
#include "supervise/satellites.h"
#include "supervise/sockmsg.h"

__attribute__((format(printf, 4, 5))) static void refuse(
	struct tp_client *c, uint32_t seq, int error, const char *fmt, ...)
{
	struct tp_error err = {.status = TP_STATUS_OWN, .err = error};
	va_list args;

	va_start(args, fmt);
	vsnprintf(err.text, sizeof(err.text), fmt, args);
	va_end(args);
	tp_client_error(c, seq, &err);
}

static struct tp_prog *satellite_of(struct tp_group *g, pid_t pid)
{
	struct tp_prog *p;

	LIST_FOREACH (p, &g->satellites, link)
		if (p->pid == pid && !tp_peer_has_ended(p->death.fd))
			return p;
	return NULL;
}

/* The program or satellite at the other end; NULL: neither. */
static struct tp_prog *asker(const struct tp_client *c)
{
	pid_t pid = tp_peer_pid(c->watch.fd);
	struct tp_prog *p = pid > 0 ? tp_registry_by_pid(c->group, pid) : NULL;

	if (p && !p->ended && p->state != TP_PROGRAM_LEFT && p->start_ns <= c->since_ns)
		return p;
	return pid > 0 ? satellite_of(c->group, pid) : NULL;
}

bool tp_satellites_trusts(struct tp_client *c, uint32_t type)
{
	if (type == TP_WIRE_ATTACH)
		return tp_invited(c);
	return type >= TP_WIRE_FD_PUT && type <= TP_WIRE_DETACH && asker(c);
}

/* ---- becoming a satellite, and ceasing to be one ------------------------------------------------
 */

static void comm_of(pid_t pid, char ret[static TP_NAME_MAX])
{
	char path[64];
	ssize_t n = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, ret, TP_NAME_MAX - 1);
		close(fd);
	}
	ret[n > 0 ? n : 0] = '\0';
	ret[strcspn(ret, "\n")] = '\0';
}

static void lose(struct tp_prog *p)
{
	close(p->death.fd); /* which also takes it out of the epoll: nobody else has it */
	p->death.fd = -1;
	p->ended = true;
	p->exit_ns = tp_now_boot_ns();
	tp_registry_died(p, TP_PROGRAM_DEAD);
	tp_registry_release(p);
}

static void on_death(struct tp_watch *w, uint32_t events)
{
	(void)events;
	if (tp_peer_has_ended(w->fd)) /* not a late event of an earlier one */
		lose(tp_container(w, struct tp_prog, death));
}

static bool fits(const struct tp_wire_attach *m)
{
	return m->abi_major == TP_ABI_MAJOR && m->abi_minor <= TP_ABI_MINOR &&
	       !(m->features & ~TP_SEG_FEATURES);
}

static int may_attach(struct tp_client *c, const struct tp_wire_attach *m, pid_t pid, int pidfd,
	char *why, size_t size)
{
	if (pidfd == -EMFILE || pidfd == -ENFILE) {
		snprintf(why, size,
			"the supervisor has no descriptors left (raise ulimit -n before tprun "
			"run)");
		return pidfd;
	}
	if (pidfd < 0 || tp_peer_has_ended(pidfd)) {
		snprintf(why, size, "the caller cannot be seen from here");
		return -ESRCH;
	}
	if (tp_registry_by_pid(c->group, pid)) {
		snprintf(why, size, "the caller is a program of the group");
		return -EISCONN;
	}
	if (tp_end_begun(c->group)) {
		snprintf(why, size, "the group is ending");
		return -ECONNREFUSED;
	}
	if (fits(m))
		return 0;
	snprintf(why, size,
		"it speaks version %u.%u of the ABI (features 0x%llx), the group %u.%u (features "
		"0x%llx)",
		m->abi_major, m->abi_minor, (unsigned long long)m->features, TP_ABI_MAJOR,
		TP_ABI_MINOR, (unsigned long long)TP_SEG_FEATURES);
	return -EPROTO;
}

/* Takes pidfd over. */
static struct tp_prog *add(struct tp_group *g, pid_t pid, int pidfd)
{
	char name[TP_NAME_MAX];
	struct tp_prog *p;

	comm_of(pid, name);
	p = tp_registry_add_satellite(g, name);
	if (!p) {
		close(pidfd);
		return NULL;
	}
	p->pid = pid;
	p->start_ns = tp_now_boot_ns();
	p->death = (struct tp_watch){pidfd, on_death};
	tp_registry_publish(p);
	return p;
}

/* A process that asks again has executed another file since: what it was before is gone. */
static void forget_earlier(struct tp_group *g, pid_t pid)
{
	struct tp_prog *p = satellite_of(g, pid);

	if (p)
		lose(p);
}

static void welcome(struct tp_client *c, uint32_t seq, const struct tp_prog *p)
{
	struct tp_group *g = c->group;
	struct tp_wire_attached m = {.id = p->id, .heap_size = g->seg.heap_size};
	const int fds[] = {g->seg.fd, g->seg.heap_fd};

	tp_client_send_fds(c, &m, sizeof(m), TP_WIRE_ATTACHED, seq, fds, 2);
	tp_registry_arrived(g);
}

static void take_attach(struct tp_client *c, const struct tp_wire_attach *m)
{
	struct tp_group *g = c->group;
	pid_t pid = tp_peer_pid(c->watch.fd);
	int pidfd = tp_peer_pidfd(c->watch.fd);
	struct tp_prog *p;
	char why[160];
	int r = may_attach(c, m, pid, pidfd, why, sizeof(why));

	if (r < 0) {
		if (pidfd >= 0)
			close(pidfd);
		refuse(c, m->head.seq, r, "%s: could not be attached to: %s", g->opts->group, why);
		return;
	}
	forget_earlier(g, pid);
	p = add(g, pid, pidfd);
	if (p && tp_loop_add(&g->loop, &p->death, EPOLLIN) < 0) {
		lose(p);
		p = NULL;
	}
	if (p)
		welcome(c, m->head.seq, p);
	else
		refuse(c, m->head.seq, -ENOSPC,
			"%s: could not be attached to: the group is full (%d programs and "
			"satellites)",
			g->opts->group, TP_REGISTRY_MAX);
}

static void take_detach(struct tp_client *c, const struct tp_wire_head *m)
{
	struct tp_prog *p = asker(c);

	if (!p || !p->satellite) {
		refuse(c, m->seq, -ENOTCONN, "%s: nothing to detach: the caller is no satellite",
			c->group->opts->group);
		return;
	}
	lose(p);
	tp_client_ok(c, m->seq);
}

static int read_only(int fd)
{
	char path[48];
	int r;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	r = open(path, O_RDONLY | O_CLOEXEC);
	return r < 0 ? -errno : r;
}

static void take_look(struct tp_client *c, const struct tp_wire_head *m)
{
	struct tp_wire_attached reply = {.heap_size = c->group->seg.heap_size};
	const int fds[] = {read_only(c->group->seg.fd), read_only(c->group->seg.heap_fd)};
	int bad = fds[0] < 0 ? fds[0] : fds[1];

	if (bad < 0)
		refuse(c, m->seq, bad, "%s: could not be looked at: %s", c->group->opts->group,
			tp_errno_words(bad));
	else
		tp_client_send_fds(c, &reply, sizeof(reply), TP_WIRE_ATTACHED, m->seq, fds, 2);
	for (int i = 0; i < 2; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

/* ---- descriptors --------------------------------------------------------------------------------
 */

static void take_put(struct tp_client *c, struct tp_prog *p, const struct tp_wire_key *m, int fd)
{
	int r = tp_fdkeep_put(p, m->key, fd, m->head.type == TP_WIRE_WATCH);

	if (!r)
		tp_client_ok(c, m->head.seq);
	else if (r == -EMFILE)
		refuse(c, m->head.seq, r,
			"%s: the supervisor keeps %d descriptors of this program, and no more",
			p->name, TP_KEPT_MAX);
	else if (r == -ENFILE)
		refuse(c, m->head.seq, r,
			"%s: the supervisor can keep no more descriptors (raise ulimit -n before "
			"tprun run)",
			p->name);
	else if (r == -EINVAL)
		refuse(c, m->head.seq, r, "%s: only an eventfd can be told of arrivals and deaths",
			p->name);
	else
		refuse(c, m->head.seq, r, "%s: the descriptor could not be kept: %s", p->name,
			tp_errno_words(r));
}

static void take_get(struct tp_client *c, const struct tp_wire_key *m)
{
	struct tp_wire_head reply;
	int fd = tp_fdkeep_get(c->group, m->owner, m->key);

	if (fd < 0)
		refuse(c, m->head.seq, fd, "%s: no descriptor is kept under that key",
			c->group->opts->group);
	else
		tp_client_send_fds(c, &reply, sizeof(reply), TP_WIRE_FD_REPLY, m->head.seq, &fd, 1);
}

static void take_key(
	struct tp_client *c, const struct tp_wire_key *m, const int *fds, uint32_t nfds)
{
	struct tp_prog *p = asker(c);

	if (!p) {
		tp_close_all(fds, nfds);
		refuse(c, m->head.seq, -ENOTCONN,
			"%s: the caller is neither a program nor a satellite of this group",
			c->group->opts->group);
		return;
	}
	switch (m->head.type) {
	case TP_WIRE_FD_GET: take_get(c, m); break;
	case TP_WIRE_FD_DROP:
		tp_fdkeep_drop(p, m->key);
		tp_client_ok(c, m->head.seq);
		break;
	default: take_put(c, p, m, fds[0]); break;
	}
}

void tp_satellites_request(
	struct tp_client *c, const struct tp_wire_head *m, const int *fds, uint32_t nfds)
{
	switch (m->type) {
	case TP_WIRE_ATTACH: take_attach(c, (const struct tp_wire_attach *)m); break;
	case TP_WIRE_LOOK: take_look(c, m); break;
	case TP_WIRE_DETACH: take_detach(c, m); break;
	default: take_key(c, (const struct tp_wire_key *)m, fds, nfds); break;
	}
}
