/* SPDX-License-Identifier: MIT */
/* Builds the host's launch message out of what was decided, and sends it with its descriptors. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "supervise/launch.h"
#include "supervise/stages.h"

/* What the host keeps room for, less our own. */
enum { DESCRIPTORS_MAX = 4096 - 8 };

/* A message under construction; parts are 8-aligned. */
struct message {
	_Alignas(8) char bytes[TP_HOST_MESSAGE_MAX];
	size_t len;
};

struct descriptors {
	int *fd;
	uint32_t n;
	bool limit_exceeded;
};

static int append(struct message *m, const void *part, size_t len)
{
	size_t at = (m->len + 7) & ~(size_t)7;

	if (len > sizeof(m->bytes) - at)
		return -E2BIG;
	memset(m->bytes + m->len, 0, at - m->len);
	memcpy(m->bytes + at, part, len);
	m->len = at + len;
	return 0;
}

static int push(struct descriptors *d, int fd)
{
	d->fd[d->n] = fd;
	return (int)d->n++;
}

static bool may_raise(void)
{
	return geteuid() == 0;
}

/* A caller's limits, within what the group may have; only those that differ from the host's are set
 * at all. */
static void put_limits(
	struct tp_host_launch *h, const struct tp_wire_launch *m, const struct tp_hostlink *host)
{
	for (int r = 0; r < TP_RLIMITS; r++) {
		uint64_t cur = m->rlimits[r][0], max = m->rlimits[r][1];
		const struct rlimit *have = &host->limits[r];

		if (max > have->rlim_max && !may_raise())
			max = have->rlim_max;
		cur = cur > max ? max : cur;
		h->rlimits[r][0] = cur;
		h->rlimits[r][1] = max;
		if (cur != have->rlim_cur || max != have->rlim_max)
			h->rlimit_set |= 1u << r;
	}
}

static void put_session(struct tp_host_launch *h, const struct tp_wire_launch *m, pid_t sid)
{
	if (m->flags & TP_WIRE_OWN_SESSION || m->sid != sid) {
		h->flags |= TP_LAUNCH_NEW_SESSION;
		if (m->flags & TP_WIRE_CTTY)
			h->flags |= TP_LAUNCH_CTTY;
		return;
	}
	h->flags |= TP_LAUNCH_SETPGID;
	h->pgid = m->pgid;
}

static void put_caller(
	struct tp_host_launch *h, const struct tp_wire_launch *m, const struct tp_group *g)
{
	const struct tp_hostlink *host = &g->host;

	put_session(h, m, g->sid);
	put_limits(h, m, host);
	h->umask = m->umask;
	h->sigmask = m->sigmask;
	h->sigignore = m->sigignore;
	h->nice = m->nice;
	if (m->nice != host->nice && (m->nice > host->nice || may_raise()))
		h->flags |= TP_LAUNCH_SETNICE;
}

static void put_memory(struct tp_host_launch *h, const struct tp_launching *l)
{
	uint64_t top = l->place->base + TP_SLOT_STACK_TOP;

	h->id = l->prog->id;
	h->registry = l->prog->index;
	h->unit = l->prog->unit;
	h->nunits = 1;
	h->entry = l->place->entry;
	h->sp = h->stack_image_at = l->stack->sp;
	h->stack_image_len = l->stack->len;
	h->stack_top = top;
	h->stack_len = (l->stack->len + (128u << 10) + TP_PAGE_SIZE - 1) & ~(TP_PAGE_SIZE - 1);
	h->stack_prot = PROT_READ | PROT_WRITE | (l->image->plan.stack_exec ? PROT_EXEC : 0);
	h->nmaps = l->place->nmaps;
	h->nimages = l->place->nimages;
	memcpy(h->images, l->place->images, sizeof(h->images));
	memcpy(h->comm, l->image->exe.comm, sizeof(h->comm));
}

static void put_descriptors(
	struct tp_host_launch *h, const struct tp_launching *l, struct descriptors *d, int stack_fd)
{
	const int *caller = tp_request_caller(l->request);

	push(d, l->image->exe.fd);
	if (l->image->has_interp)
		push(d, l->image->interp.fd);
	h->fd_cwd = push(d, tp_request_cwd(l->request));
	h->fd_root = tp_request_root(l->request) < 0 ? -1 : push(d, tp_request_root(l->request));
	h->fd_stack = stack_fd < 0 ? -1 : push(d, stack_fd);
	h->fd_caller = d->n;
	h->ncaller = l->request->msg.nfds;
	for (uint32_t i = 0; i < h->ncaller; i++)
		push(d, caller[i]);
	h->nfds = d->n;
}

static size_t parts_len(const struct tp_launching *l)
{
	return sizeof(struct tp_host_launch) + l->place->nmaps * sizeof(struct tp_host_map) +
	       l->request->msg.nfds * sizeof(int32_t) + strlen(l->image->exe.realpath) + 1 + 4 * 8;
}

/* The stack image travels in the message if it fits, else in a memfd. Return: descriptor, -1:
 * inline, other negatives: errno. */
static int stack_memfd(const struct tp_launching *l)
{
	int fd;

	if (parts_len(l) + l->stack->len <= TP_HOST_MESSAGE_MAX)
		return -1;
	fd = memfd_create("tprun-stack", MFD_CLOEXEC);
	if (fd < 0)
		return -errno - 1;
	if (pwrite(fd, l->stack->bytes, l->stack->len, 0) == (ssize_t)l->stack->len)
		return fd;
	close(fd);
	return -ENOMEM - 1;
}

static int build(
	const struct tp_launching *l, struct message *m, struct descriptors *d, int stack_fd)
{
	struct tp_host_launch h = {.head.op = TP_HOST_LAUNCH};
	const char *exe = l->image->exe.realpath;
	int r;

	put_memory(&h, l);
	put_caller(&h, &l->request->msg, l->group);
	put_descriptors(&h, l, d, stack_fd);
	h.exe_len = (uint32_t)strlen(exe);
	m->len = 0;
	r = append(m, &h, sizeof(h));
	r = r ? r : append(m, l->place->maps, l->place->nmaps * sizeof(l->place->maps[0]));
	r = r ? r : append(m, l->strings->targets, h.ncaller * sizeof(int32_t));
	r = r ? r : append(m, exe, h.exe_len + 1);
	/* Without one, an empty part still rounds the message's end up, as the host expects it. */
	r = r ? r : append(m, l->stack->bytes, stack_fd < 0 ? l->stack->len : 0);
	return r;
}

static int host_refused(
	const struct tp_launching *l, const struct tp_host_result *res, struct tp_error *err)
{
	if (res->stage == TP_STAGE_IMAGE && res->error == -EEXIST)
		return tp_error_named(err, TP_STATUS_NOT_EXECUTABLE, res->error, l->prog->name,
			"could not be started: another program has memory at its fixed address");
	return tp_error_named(err,
		res->stage == TP_STAGE_IMAGE ? TP_STATUS_NOT_EXECUTABLE : TP_STATUS_OWN, res->error,
		l->prog->name, "could not be started: %s failed: %s", tp_stage_words(res->stage),
		tp_errno_words(res->error));
}

static int transact(const struct tp_launching *l, struct message *m, struct descriptors *d,
	int stack_fd, pid_t *ret_pid, struct tp_error *err)
{
	struct tp_host_result res;
	int r = d->limit_exceeded ? -E2BIG : build(l, m, d, stack_fd);

	if (r < 0)
		return tp_error_named(err, TP_STATUS_OWN, r, l->prog->name,
			"could not be started: it inherits %u descriptors, at most %d can be "
			"handed over (close some)",
			l->request->msg.nfds, DESCRIPTORS_MAX);
	if (tp_hostlink_call(&l->group->host, m->bytes, m->len, d->fd, d->n, &res) < 0)
		return tp_error_named(err, TP_STATUS_OWN, EHOSTDOWN, l->prog->name,
			"could not be started: the group's host is gone: %s (running programs go "
			"on; start a new group)",
			l->group->host.gone);
	if (res.error < 0)
		return host_refused(l, &res, err);
	*ret_pid = (pid_t)res.value;
	return 0;
}

int tp_launch_send(const struct tp_launching *l, pid_t *ret_pid, struct tp_error *err)
{
	struct descriptors d = {
		.fd = calloc(l->request->want + 4, sizeof(int)),
		.limit_exceeded = l->request->want > DESCRIPTORS_MAX,
	};
	static struct message m; /* the stack may be small */
	int stack_fd = stack_memfd(l), r;

	if (!d.fd || stack_fd < -1)
		r = tp_error_named(err, TP_STATUS_OWN, ENOMEM, l->prog->name,
			"could not be started: no memory for its arguments");
	else
		r = transact(l, &m, &d, stack_fd, ret_pid, err);
	if (stack_fd >= 0)
		close(stack_fd);
	free(d.fd);
	return r;
}
