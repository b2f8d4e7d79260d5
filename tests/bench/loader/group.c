/* SPDX-License-Identifier: MIT */
/*
 * Messages of several programs come over one connection. Whatever is read while another one's
 * answer is waited for is kept: of a program nothing but its end matters here.
 */
#include "group.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "say.h"
#include "tprun/caller.h"

#define START_MS 10000

static struct tp_caller caller;

void bench_group_caller(void)
{
	struct tp_error err;

	if (tp_caller_capture(&caller, environ, &err))
		bench_die("%s", err.text);
}

const char *bench_path(const char *relative)
{
	static char ring[8][PATH_MAX];
	static unsigned at;
	char *path = ring[at++ % 8];
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
	size_t room;

	if (n < 0)
		bench_die("/proc/self/exe cannot be read: %s", strerror(errno));
	path[n] = 0;
	*(strrchr(path, '/') + 1) = 0;
	room = PATH_MAX - strlen(path);
	if ((size_t)snprintf(path + strlen(path), room, "%s", relative) >= room)
		bench_die("%s: the path is too long", relative);
	return path;
}

#define ARGS_MAX 16

static void exec_tprun(const char *name, const char *const *program, int in, int out)
{
	const char *tprun = bench_path("../../loader/tprun/tprun");
	const char *argv[ARGS_MAX] = {"tprun", "run", "-g", name, "--", bench_path(program[0])};

	for (int i = 1; program[i] && i + 6 < ARGS_MAX; i++)
		argv[i + 5] = program[i];
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	/* Its own process group: a Ctrl-C is for us alone. Our death is its, and its death that of
	 * all programs, whoever started them. */
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	execv(tprun, (char *const *)argv);
	fprintf(stderr, "bench: %s: cannot be started: %s\n", tprun, strerror(errno));
	_exit(127);
}

static void await_byte(int fd, const char *what)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	char byte;

	if (poll(&p, 1, START_MS) != 1 || read(fd, &byte, 1) != 1)
		bench_die("%s did not start", what);
}

void bench_group_start_with(struct bench_group *g, const char *const *argv, int *ret_answer)
{
	static unsigned serial;
	int in[2], out[2];

	*g = (struct bench_group){.client = TP_CLIENT_INIT};
	snprintf(g->name, sizeof(g->name), "bench-%d-%u", (int)getpid(), serial++);
	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		bench_die("no pipe: %s", strerror(errno));
	g->front = fork();
	if (g->front < 0)
		bench_die("fork: %s", strerror(errno));
	if (!g->front)
		exec_tprun(g->name, argv, in[0], out[1]);
	close(in[0]);
	close(out[1]);
	g->hold = in[1];
	*ret_answer = out[0];
}

void bench_group_start(struct bench_group *g)
{
	struct tp_error err;
	int ready;

	bench_group_start_with(g, (const char *[]){"bench-sleeper", NULL}, &ready);
	await_byte(ready, "the group");
	close(ready);
	if (tp_client_connect(&g->client, g->name, &err))
		bench_die("%s", err.text);
}

void bench_group_end(struct bench_group *g)
{
	int status;

	tp_client_close(&g->client);
	close(g->hold);
	if (waitpid(g->front, &status, 0) == g->front && status)
		fprintf(stderr, "bench: group %s ended with wait status %#x\n", g->name, status);
	free(g->status);
}

static int64_t *status_of(struct bench_group *g, uint32_t seq)
{
	size_t n = g->nstatus ? g->nstatus : 1024;

	while (n <= seq)
		n *= 2;
	if (n != g->nstatus) {
		g->status = realloc(g->status, n * sizeof(*g->status));
		if (!g->status)
			bench_die("out of memory");
		for (; g->nstatus < n; g->nstatus++)
			g->status[g->nstatus] = -1;
	}
	return &g->status[seq];
}

/* Takes one message; an end is noted, everything else is the caller's. */
static void receive(struct bench_group *g, union tp_message *m)
{
	int err = tp_client_receive(&g->client, 1, m);

	if (err)
		bench_die("the group %s ended or speaks another version: %s", g->name,
			tp_errno_words(err));
	if (m->head.type == TP_WIRE_EXITED)
		*status_of(g, m->head.seq) = m->event.value;
	if (m->head.type == TP_WIRE_NOTE)
		fprintf(stderr, "bench: note: %s\n", m->error.text);
}

static int take_answer(struct bench_group *g, uint32_t seq, pid_t *ret_pid, struct tp_error *err)
{
	union tp_message m;

	do
		receive(g, &m);
	while (m.head.seq != seq ||
		(m.head.type != TP_WIRE_LAUNCHED && m.head.type != TP_WIRE_ERROR));
	if (m.head.type == TP_WIRE_ERROR)
		return tp_error_set(err, m.error.status, m.error.error ? m.error.error : EPROTO,
			"%s", m.error.text);
	if (ret_pid)
		*ret_pid = (pid_t)m.event.value;
	return 0;
}

int bench_group_try_launch(struct bench_group *g, const char *const *argv, const int fds[3],
	uint32_t *ret_seq, pid_t *ret_pid, struct tp_error *err)
{
	static const int standard[3] = {0, 1, 2};
	const struct tp_caller *c = &caller;
	struct tp_request request = {
		.argv = (char *const *)argv,
		.envp = c->envp,
		.fds = fds ? fds : standard,
		.targets = standard,
		.nfds = 3,
		.cwd_fd = c->cwd_fd,
		.root_fd = -1,
		.pgid = 0,
		.sid = c->sid,
		.umask = c->umask,
		.nice = c->nice,
		.sigmask = c->sigmask,
		.sigignore = c->sigignore,
		.rlimits = c->rlimits,
	};
	int r = tp_client_launch(&g->client, &request, ret_seq, err);

	return r ? r : take_answer(g, *ret_seq, ret_pid, err);
}

uint32_t bench_group_launch(
	struct bench_group *g, const char *const *argv, const int fds[3], pid_t *ret_pid)
{
	struct tp_error err;
	uint32_t seq;

	if (bench_group_try_launch(g, argv, fds, &seq, ret_pid, &err))
		bench_die("%s", err.text);
	return seq;
}

int bench_group_wait(struct bench_group *g, uint32_t seq)
{
	union tp_message m;

	while (*status_of(g, seq) < 0) {
		receive(g, &m);
		if (m.head.type == TP_WIRE_ERROR && m.head.seq == seq)
			bench_die("%s", m.error.text);
	}
	return (int)*status_of(g, seq);
}

struct tp_wire_info bench_group_info(struct bench_group *g)
{
	union tp_message m;
	uint32_t seq;
	int err = tp_client_ask(&g->client, TP_WIRE_INFO, &seq);

	if (err)
		bench_die("the group %s does not answer: %s", g->name, tp_errno_words(err));
	do
		receive(g, &m);
	while (m.head.seq != seq);
	if (m.head.type != TP_WIRE_INFO_REPLY)
		bench_die("the group %s answers INFO with %s", g->name,
			m.head.type == TP_WIRE_ERROR ? m.error.text : "something else");
	return m.info;
}
