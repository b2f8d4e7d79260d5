/* SPDX-License-Identifier: MIT */
#include "elfrun.h"

#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "elfcode.h"

enum { PATIENCE_US = 10000000, STEP_US = 200 };

/* Of its descriptors it keeps none: nobody is to wait for a process that a failed test left. */
int elfrun_start(const char *path, struct elfrun *ret_run)
{
	char *argv[] = { (char *)path, NULL };
	posix_spawn_file_actions_t quiet;
	int ret;

	posix_spawn_file_actions_init(&quiet);
	for (int fd = 0; fd < 3; fd++)
		posix_spawn_file_actions_addopen(&quiet, fd, "/dev/null", O_RDWR, 0);
	ret = posix_spawn(&ret_run->pid, path, &quiet, NULL, argv, NULL);
	posix_spawn_file_actions_destroy(&quiet);
	if (ret)
		ret_run->pid = 0;
	return -ret;
}

static FILE *open_proc(const struct elfrun *run, const char *file)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/%d/%s", run->pid, file);
	return fopen(name, "re");
}

/* The system call that it is in; -1: none, or nobody knows. */
static int current_call(const struct elfrun *run)
{
	FILE *f = open_proc(run, "syscall");
	int nr = -1;

	if (f && fscanf(f, "%d", &nr) != 1)
		nr = -1;
	if (f)
		fclose(f);
	return nr;
}

/* posix_spawn returns while execve is still mapping the file. */
bool elfrun_is_waiting(const struct elfrun *run)
{
	siginfo_t end = { 0 };

	for (int waited = 0; waited < PATIENCE_US && end.si_pid == 0; waited += STEP_US) {
		if (current_call(run) == ARCH_CODE_PAUSE_CALL)
			return true;
		usleep(STEP_US);
		waitid(P_PID, run->pid, &end, WEXITED | WNOWAIT | WNOHANG);
	}
	return false;
}

static void look_at_maps(struct elfrun *run)
{
	FILE *f = open_proc(run, "maps");
	char line[512];

	for (run->nvma = 0; f && run->nvma < ELFRUN_VMAS && fgets(line, sizeof(line), f);) {
		struct elfrun_vma *v = &run->vma[run->nvma++];

		if (sscanf(line, "%lx-%lx %4s %lx %*s %lu", &v->start, &v->end, v->perms, &v->off,
				&v->ino) != 5)
			abort();
		v->stack = strstr(line, "[stack]") != NULL;
		v->kernel = strstr(line, "[v") != NULL;
	}
	if (f)
		fclose(f);
}

static void look_at_auxv(struct elfrun *run)
{
	FILE *f = open_proc(run, "auxv");
	uint64_t pair[2];

	memset(run->aux, 0, sizeof(run->aux));
	while (f && fread(pair, sizeof(pair), 1, f) == 1 && pair[0] != AT_NULL)
		if (pair[0] < ELFRUN_AUX)
			run->aux[pair[0]] = pair[1];
	if (f)
		fclose(f);
}

void elfrun_look(struct elfrun *run)
{
	look_at_maps(run);
	look_at_auxv(run);
}

const struct elfrun_vma *elfrun_find(const struct elfrun *run, uint64_t at)
{
	for (unsigned i = 0; i < run->nvma; i++)
		if (at >= run->vma[i].start && at < run->vma[i].end)
			return &run->vma[i];
	return NULL;
}

int elfrun_stop(struct elfrun *run)
{
	int status = 0;

	if (run->pid) {
		kill(run->pid, SIGKILL);
		waitpid(run->pid, &status, 0);
		run->pid = 0;
	}
	return status;
}
