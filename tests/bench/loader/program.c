/* SPDX-License-Identifier: MIT */
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "say.h"

#define ARGS_MAX 8

pid_t bench_spawn(const char *const *argv, const int fds[3], char *const *envp)
{
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int err = posix_spawn_file_actions_init(&actions);

	for (int i = 0; fds && !err && i < 3; i++)
		err = posix_spawn_file_actions_adddup2(&actions, fds[i], i);
	if (!err)
		err = posix_spawn(
			&pid, argv[0], fds ? &actions : NULL, NULL, (char *const *)argv, envp);
	if (err)
		bench_die("%s cannot be started: %s", argv[0], strerror(err));
	posix_spawn_file_actions_destroy(&actions);
	return pid;
}

pid_t bench_spawn_tied(const char *const *argv, const int fds[3])
{
	pid_t pid = fork();

	if (pid < 0)
		bench_die("fork: %s", strerror(errno));
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	for (int i = 0; i < 3; i++)
		dup2(fds[i], i);
	execv(argv[0], (char *const *)argv);
	_exit(127);
}

void bench_program_start(
	struct bench_program *p, struct bench_group *group, const char *const *argv)
{
	const char *args[ARGS_MAX] = {bench_path(argv[0])};
	int in[2], out[2];

	for (int i = 1; argv[i] && i < ARGS_MAX - 1; i++)
		args[i] = argv[i];
	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		bench_die("no pipe: %s", strerror(errno));
	*p = (struct bench_program){.group = group, .ask = in[1], .answer = out[0]};
	if (group)
		p->seq = bench_group_launch(
			group, args, (int[]){in[0], out[1], STDERR_FILENO}, &p->pid);
	else
		p->pid = bench_spawn(args, (int[]){in[0], out[1], STDERR_FILENO}, environ);
	close(in[0]);
	close(out[1]);
}

void bench_program_end(struct bench_program *p)
{
	int status;

	close(p->ask);
	if (p->group)
		status = bench_group_wait(p->group, p->seq);
	else if (waitpid(p->pid, &status, 0) != p->pid)
		bench_die("waitpid: %s", strerror(errno));
	close(p->answer);
	if (status)
		bench_die("a program %s a group ended with wait status %#x",
			p->group ? "inside" : "outside", (unsigned)status);
}

void bench_program_ask(struct bench_program *p)
{
	if (write(p->ask, "g", 1) != 1)
		bench_die("a program does not listen any more: %s", strerror(errno));
}

struct work_report bench_program_get(struct bench_program *p)
{
	struct work_report report;

	if (read(p->answer, &report, sizeof(report)) != (ssize_t)sizeof(report))
		bench_die("a program %s a group gave no answer", p->group ? "inside" : "outside");
	return report;
}

struct work_report bench_program_slice(struct bench_program *p)
{
	bench_program_ask(p);
	return bench_program_get(p);
}
