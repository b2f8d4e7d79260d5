/* SPDX-License-Identifier: MIT */
/*
 * The life of a supervisor: make itself at home, make the group, run the loop, clean up.
 *
 *	descriptors -> signals -> segment -> host -> directory -> slots -> doorbell -> first client
 *	-> loop
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "image-cache.h"
#include "supervise/client.h"
#include "supervise/doorbell.h"
#include "supervise/end.h"
#include "supervise/machine.h"
#include "supervise/mapcount.h"
#include "supervise/orphans.h"
#include "supervise/preload.h"
#include "supervise/reap.h"
#include "supervise/reclaim.h"
#include "supervise/registry.h"
#include "supervise/server.h"
#include "supervise/signals.h"
#include "supervise/strays.h"
#include "supervise/supervise.h"

enum { STACK_WANTED = 1 << 20, STACK_NEEDED = 256 << 10, DRAIN_MS = 5000 };

/* Moves a descriptor to a place of its own; -1 stays -1. */
static int move_fd(int fd, int to)
{
	if (fd < 0 || fd == to)
		return fd;
	return dup3(fd, to, O_CLOEXEC) < 0 ? -1 : to;
}

/*
 * Keeps the two descriptors and nothing else: a copy of a pipe's end here would keep the caller's
 * reader waiting. They go high first, since one may sit where the other is to go.
 */
static void settle_descriptors(int *client, int *front)
{
	int c = *client < 0 ? -1 : fcntl(*client, F_DUPFD_CLOEXEC, 5);
	int f = *front < 0 ? -1 : fcntl(*front, F_DUPFD_CLOEXEC, 5);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; fd < 3 && null >= 0; fd++)
		if (fd != null)
			dup2(null, fd);
	*client = move_fd(c, 3);
	*front = move_fd(f, 4);
	if (*client < 0)
		close(3);
	if (*front < 0)
		close(4);
	close_range(5, ~0u, 0);
}

/* Its own stack: the caller's limit is for the programs, and goes with each launch. */
static void settle_stack(void)
{
	struct rlimit stack;

	if (getrlimit(RLIMIT_STACK, &stack) || stack.rlim_cur >= STACK_WANTED)
		return;
	stack.rlim_cur = STACK_WANTED;
	if (stack.rlim_max < STACK_WANTED)
		stack.rlim_max = STACK_WANTED; /* allowed to root only */
	setrlimit(RLIMIT_STACK, &stack);
}

static void settle_process(void)
{
	struct rlimit files, size;

	/* Somebody may have stopped us when the foreground dies, which has to end everything. */
	prctl(PR_SET_PDEATHSIG, SIGCONT);
	setpgid(0, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	settle_stack();
	prctl(PR_SET_NAME, "tprun-super");
	if (chdir("/") < 0)
		return;
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	/* The segment is a file, mostly of holes. Root may raise the hard limit; each program gets its caller's own. */
	if (getrlimit(RLIMIT_FSIZE, &size) == 0) {
		const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};

		size.rlim_cur = size.rlim_max;
		if (setrlimit(RLIMIT_FSIZE, &none) < 0)
			setrlimit(RLIMIT_FSIZE, &size);
	}
}

static void on_front(struct tp_watch *w, uint32_t events)
{
	(void)events;
	tp_end_kill_all(tp_container(w, struct tp_group, front));
}

static void settle(struct tp_loop *loop)
{
	struct tp_group *g = tp_container(loop, struct tp_group, loop);

	/* A group that ends here stops its host, and with it all memory is gone. */
	tp_end_check(g);
	tp_reclaim_post(g);
	tp_clients_free_closed(g);
}

/* Limits of the caller that even an idle group does not fit into, and what to do. */
static const char *advice(int error)
{
	switch (error) {
	case -EMFILE: return " (raise ulimit -n)";
	case -EFBIG: return ": the limit on file sizes is too low (raise ulimit -f)";
	case -ENOMEM: return " (raise ulimit -v and -d, or free memory)";
	case -EAGAIN: return " (raise ulimit -u)";
	default: return "";
	}
}

static int internal(struct tp_group *g, int r, struct tp_error *err)
{
	if (r < 0)
		tp_error_named(err, TP_STATUS_OWN, r, g->opts->group, "could not be started: %s%s",
			tp_errno_words(r), advice(r));
	return r;
}

static int meet_host(struct tp_group *g, struct tp_error *err)
{
	bool taken[TP_UNITS] = {false};
	int r = tp_hostlink_greet(&g->host, err);

	if (r < 0)
		return r;
	g->seg.at->host_pid = g->host.pid;
	r = tp_mapcount_init(g, taken);
	if (r < 0)
		return internal(g, r, err);
	tp_slots_init(&g->slots, g->seg.at->owner, taken);
	return 0;
}

/* For libtp in the programs. A path that is too long is not told: they do without what it is for. */
static void tell_where(struct tp_group *g)
{
	char path[PATH_MAX + 16];

	snprintf(path, sizeof(path), "%s/control", g->runtime.path);
	if (strlen(path) < TP_CONTROL_PATH_MAX)
		memcpy(g->seg.at->control, path, strlen(path) + 1);
}

/* The host gets ready while the directory is made. */
static int make_host(struct tp_group *g, struct tp_error *err)
{
	int r = tp_hostlink_start(
		&g->host, &g->loop, g->opts->host_path, &g->seg, g->opts->group, err);

	r = r ? r : tp_runtime_create(g->opts->group, &g->runtime, err);
	if (!r)
		tell_where(g);
	return r ? r : meet_host(g, err);
}

static int need_stack(struct tp_group *g, struct tp_error *err)
{
	struct rlimit stack;

	if (getrlimit(RLIMIT_STACK, &stack) || stack.rlim_cur >= STACK_NEEDED)
		return 0;
	return tp_error_named(err, TP_STATUS_OWN, -ENOMEM, g->opts->group,
		"could not be started: the stack limit is too low (raise the hard limit: ulimit -s "
		"%d)",
		STACK_NEEDED >> 10);
}

/* Its files tell who is whose child and what is mapped: there is no way without. */
static int need_proc(struct tp_group *g, struct tp_error *err)
{
	int r = tp_orphans_init(g);

	if (r != -ENOENT)
		return internal(g, r, err);
	return tp_error_named(err, TP_STATUS_OWN, r, g->opts->group,
		access("/proc/self/stat", F_OK) < 0
			? "could not be started: /proc is not mounted"
			: "could not be started: this kernel does not list children in /proc "
			  "(CONFIG_PROC_CHILDREN)");
}

static int make_group(struct tp_group *g, struct tp_error *err)
{
	const struct tp_machine machine = tp_machine_here();
	int r = tp_machine_fits(&machine, g->opts->group, err);

	r = r ? r : need_stack(g, err);
	r = r ? r : need_proc(g, err);
	if (r < 0)
		return r;
	r = tp_registry_init(g);
	r = r ? r : tp_seg_create(&g->seg, g->opts->group, g->opts->heap_size);
	if (r < 0)
		return internal(g, r, err);
	tp_preload_init(g);
	r = make_host(g, err);
	if (r < 0)
		return r;
	r = tp_server_init(g);
	r = r ? r : tp_doorbell_init(g);
	return internal(g, r, err);
}

/* Callbacks and lists: nothing here can fail, and teardown may rely on it. */
static void init_parts(struct tp_group *g)
{
	g->runtime.dir_fd = g->seg.fd = g->seg.heap_fd = g->children_fd = g->front.fd = -1;
	g->host.sock = g->host.death.fd = -1;
	g->start_ns = tp_now_boot_ns();
	g->sid = getsid(0);
	g->images = tp_image_cache_create();
	g->debug = g->opts->verbose || getenv("TPRUN_DEBUG");
	g->loop.settle = settle;
	LIST_INIT(&g->clients);
	LIST_INIT(&g->closed);
	LIST_INIT(&g->stops);
	tp_reclaim_init(g);
	tp_reap_init(g);
	tp_end_init(g);
	tp_strays_init(g);
}

static int watch_front(struct tp_group *g, int front_pidfd)
{
	g->front = (struct tp_watch){front_pidfd, on_front};
	return front_pidfd < 0 ? 0 : tp_loop_add(&g->loop, &g->front, EPOLLIN);
}

static int begin(struct tp_group *g, int first_client, int front_pidfd, struct tp_error *err)
{
	int r = tp_loop_init(&g->loop);

	init_parts(g);
	r = r ? r : tp_signals_init(g);
	if (!r && first_client >= 0) {
		g->first = tp_client_create(g, first_client);
		r = g->first ? 0 : -ENOMEM;
		if (g->first)
			g->first->judged = true;
	}
	r = r ? r : watch_front(g, front_pidfd);
	return r ? internal(g, r, err) : make_group(g, err);
}

static void end(struct tp_group *g)
{
	tp_hostlink_stop(&g->host);
	tp_clients_drain(g, DRAIN_MS);
	tp_runtime_remove(&g->runtime);
	tp_doorbell_fini(g);
	tp_seg_fini(&g->seg);
	tp_mapcount_fini(g);
	tp_registry_fini(g);
	g->images = tp_image_cache_destroy(g->images);
	tp_loop_fini(&g->loop);
}

static void fail(struct tp_group *g, const struct tp_error *err)
{
	struct tp_wire_head bye;

	tp_client_error(g->first, 0, err);
	tp_client_send(g->first, &bye, sizeof(bye), TP_WIRE_BYE, 0);
	g->exit_status = TP_STATUS_OWN;
}

int tp_supervise(const struct tp_supervise_opts *opts)
{
	struct tp_group *g = calloc(1, sizeof(*g));
	int client = opts->first_client, front = opts->front_pidfd;
	struct tp_error err = {0};

	settle_process();
	settle_descriptors(&client, &front);
	if (!g)
		return TP_STATUS_OWN;
	g->opts = opts;
	if (begin(g, client, front, &err) < 0)
		fail(g, &err);
	else if (tp_loop_run(&g->loop) < 0)
		tp_end_kill_all(g);
	end(g);
	return g->exit_status;
}
