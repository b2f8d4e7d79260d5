/* SPDX-License-Identifier: MIT */
/*
 * One launch, in order: read the request, find and plan the files, ask every rule, take a slot,
 * place, build the stack, have the host do it, watch the new process. Nothing here costs more the
 * more programs live.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervise/admit.h"
#include "supervise/launch.h"
#include "supervise/reap.h"
#include "supervise/reclaim.h"
#include "supervise/registry.h"
#include "supervise/server.h"

static const char *path_of(const char **envp)
{
	for (; *envp; envp++)
		if (!strncmp(*envp, "PATH=", 5))
			return *envp + 5;
	return NULL;
}

static const char *wanted_name(const struct tp_request *r, const char *arg0)
{
	const char *slash = strrchr(arg0, '/');

	if (r->msg.name[0])
		return r->msg.name;
	return slash && slash[1] ? slash + 1 : arg0;
}

/* The host names a pid. It is believed only if that is a child of ours that nobody knows yet. */
static int adopt(struct tp_prog *p, pid_t pid)
{
	siginfo_t info;

	if (pid <= 1 || pid == p->group->host.pid || tp_registry_by_pid(p->group, pid))
		return -EPROTO;
	p->death.fd = pidfd_open(pid, 0);
	if (p->death.fd < 0)
		return -errno;
	if (waitid(P_PIDFD, (id_t)p->death.fd, &info, WEXITED | WNOHANG | WNOWAIT) < 0)
		return -errno;
	return 0;
}

/* A child that is neither host nor program. */
static bool is_stranger_child(struct tp_group *g, pid_t pid)
{
	siginfo_t info;

	return pid > 1 && pid != g->host.pid && !tp_registry_by_pid(g, pid) &&
	       waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

/* It cannot be watched, so it must not run, and its memory is unmapped next. */
static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static int watch_prog(struct tp_prog *p, pid_t pid, struct tp_error *err)
{
	int r = adopt(p, pid);

	if (!r) {
		tp_reap_prepare(p);
		r = tp_loop_add(&p->group->loop, &p->death, EPOLLIN);
	}
	if (!r) {
		tp_registry_set_pid(p, pid);
		return 0;
	}
	if (p->death.fd >= 0)
		close(p->death.fd);
	p->death.fd = -1;
	if (is_stranger_child(p->group, pid))
		end_child(pid);
	if (r == -EPROTO || r == -ECHILD) {
		tp_hostlink_lose(&p->group->host,
			"it named a process that is not its own: a program has "
			"probably written over its memory");
		return tp_error_named(err, TP_STATUS_OWN, r, p->name,
			"could not be started: the group's host is gone: %s", p->group->host.gone);
	}
	return tp_error_named(
		err, TP_STATUS_OWN, r, p->name, "could not be watched: %s", tp_errno_words(r));
}

static int build_stack(
	const struct tp_launching *l, uint64_t base, struct tp_stack *ret, struct tp_error *err)
{
	const struct tp_place *place = l->place;
	const struct tp_plan *plan = &l->image->plan;
	struct tp_stack_spec spec = {
		.argv = (const char *const *)l->image->exe.argv,
		.envp = l->preload.envp ? l->preload.envp : l->strings->envp,
		.execfn = l->image->exe.execfn,
		.top = base + TP_SLOT_STACK_TOP,
		.stack_limit = l->request->msg.rlimits[RLIMIT_STACK][0],
		.aux =
			{
				.sysinfo_ehdr = l->group->host.hello.vdso,
				.phdr = plan->phdr ? plan->phdr + place->bias : 0,
				.phnum = plan->phnum,
				.phent = plan->phent,
				.base = place->interp_bias,
				.entry = place->exe_entry,
				.group = TP_SEGMENT_BASE,
			},
	};

	return tp_stack_build(&spec, l->prog->name, ret, err);
}

static void fill_prog(struct tp_prog *p, const struct tp_place *place, const struct tp_image *image)
{
	p->fixed = place->fixed;
	p->flavour = image->plan.flavour;
	p->vmas = place->nmaps + TP_ADMIT_VMAS_EXTRA;
	p->group->vmas += p->vmas;
	p->start_ns = tp_now_boot_ns();
}

/* Placed and with a slot: the rest of the way. */
static int start(struct tp_launching *l, struct tp_error *err)
{
	uint64_t base = TP_UNIT_BASE(l->prog->unit);
	struct tp_stack stack = {0};
	struct tp_place place;
	pid_t pid = 0;
	int r;

	r = tp_place_image(l->image, base, &place, err);
	if (r < 0)
		return r;
	l->place = &place;
	r = build_stack(l, base, &stack, err);
	if (r < 0)
		return r;
	l->stack = &stack;
	fill_prog(l->prog, &place, l->image);
	tp_registry_publish(l->prog);
	r = tp_launch_send(l, &pid, err);
	tp_stack_fini(&stack);
	return r < 0 ? r : watch_prog(l->prog, pid, err);
}

static struct tp_prog *add_prog(
	struct tp_client *c, const struct tp_request *r, const char *name, struct tp_error *err)
{
	struct tp_group *g = c->group;
	struct tp_prog *p = tp_registry_add(g, name);

	if (!p) {
		tp_error_named(err, TP_STATUS_OWN, EAGAIN, name,
			"could not be started: the group is full (%d programs)", TP_REGISTRY_MAX);
		return NULL;
	}
	p->client = c;
	p->seq = r->msg.head.seq;
	p->linger = r->msg.flags & TP_WIRE_LINGER;
	p->own_session = r->msg.flags & TP_WIRE_OWN_SESSION || r->msg.sid != g->sid;
	if (tp_admit_unit(g, p->id, &p->unit, name, err) == 0)
		return p;
	tp_registry_died(p, TP_PROGRAM_DEAD);
	tp_registry_release(p);
	return NULL;
}

static int launch_image(struct tp_launching *l, struct tp_client *c, struct tp_error *err)
{
	const char *name = wanted_name(l->request, l->strings->argv[0]);
	int r;

	tp_reclaim_flush(c->group);
	r = tp_admit(c->group, l->image, name, err);
	r = r ? r : tp_preload_admit(l, c, name, err);
	if (r < 0)
		return r;
	if (tp_request_root(l->request) >= 0)
		tp_server_open_unnamed(c->group);
	l->prog = add_prog(c, l->request, name, err);
	if (!l->prog)
		return err->err;
	r = start(l, err);
	if (r < 0) {
		tp_reap_abandon(l->prog);
		return r;
	}
	tp_client_event(c, l->prog->seq, TP_WIRE_LAUNCHED, l->prog->id, l->prog->pid);
	return 0;
}

static int launch_strings(struct tp_launching *l, struct tp_client *c, struct tp_error *err)
{
	struct tp_resolve_spec spec = {
		.argv = l->strings->argv,
		.path = path_of(l->strings->envp),
		.cwd_fd = tp_request_cwd(l->request),
		.root_fd = tp_request_root(l->request),
		.cache = l->group->images,
	};
	struct tp_image image;
	int r = tp_image_open(&spec, &image, err);

	if (r < 0)
		return r;
	l->image = &image;
	r = launch_image(l, c, err);
	tp_preload_fini(&l->preload);
	tp_image_fini(&image);
	return r;
}

static int launch(struct tp_client *c, const struct tp_request *request, struct tp_error *err)
{
	struct tp_wire_strings strings;
	struct tp_launching l = {.group = c->group, .request = request, .strings = &strings};
	char *blob;
	int r = tp_request_read(request, &blob, &strings, err);

	if (r < 0)
		return r;
	r = launch_strings(&l, c, err);
	free(strings.argv);
	free(blob);
	return r;
}

void tp_launch(struct tp_client *c, struct tp_request *r)
{
	struct tp_error err = {.status = TP_STATUS_OWN};

	if (launch(c, r, &err) < 0)
		tp_client_error(c, r->msg.head.seq, &err);
	if (c->group->first == c && !(r->msg.flags & TP_WIRE_MORE))
		c->group->first_done = true;
}
