/* SPDX-License-Identifier: MIT */
/*
 * The caller's descriptors move from the numbers under which the host received them to their own, one after the other. A
 * number that is wanted now and holds one that is still to move is emptied first, into the lowest free number that nobody
 * wants: that needs no more numbers than a low limit on open files leaves.
 */
#include "host.h"

static long duplicate_from(int fd, int lowest)
{
	enum { DUPFD = 0 };

	return arch_syscall3(ARCH_NR_fcntl, fd, DUPFD, lowest);
}

static bool is_target(const struct tp_host_launch *l, const int32_t *targets, long fd)
{
	for (uint32_t i = 0; i < l->ncaller; i++)
		if (targets[i] == fd)
			return true;
	return false;
}

static long step_aside(const struct tpi_birth *b, int fd)
{
	for (int lowest = 0;;) {
		long r = duplicate_from(fd, lowest);

		if (r < 0 || !is_target(b->launch, b->targets, r))
			return r;
		tpi_close((int)r);
		lowest = (int)r + 1;
	}
}

/* One that must still move, from index `i` on, may lie at this number. */
static long clear_number(const struct tpi_birth *b, int *source, uint32_t i, int number)
{
	for (uint32_t j = i; j < b->launch->ncaller; j++) {
		long r;

		if (source[j] != number)
			continue;
		r = step_aside(b, source[j]);
		if (r < 0)
			return r;
		source[j] = (int)r;
	}
	return 0;
}

static long move(const struct tpi_birth *b, int *source, uint32_t i)
{
	enum { SETFD = 2 };
	int to = b->targets[i];
	long r;

	if (source[i] == to)
		return arch_syscall3(ARCH_NR_fcntl, to, SETFD, 0);
	r = clear_number(b, source, i + 1, to);
	return r < 0 ? r : arch_syscall3(ARCH_NR_dup3, source[i], to, 0);
}

/* Everything between and behind the targets. */
static long close_others(const struct tpi_birth *b)
{
	unsigned next = 0;

	for (uint32_t i = 0; i < b->launch->ncaller; i++) {
		if ((unsigned)b->targets[i] > next)
			arch_syscall3(ARCH_NR_close_range, (long)next, b->targets[i] - 1, 0);
		next = (unsigned)b->targets[i] + 1;
	}
	return arch_syscall3(ARCH_NR_close_range, (long)next, ~0L, 0);
}

void tpi_install_descriptors(const struct tpi_birth *b,
			     void (*give_up)(const struct tpi_birth *b, uint32_t stage, long error, uint32_t detail))
{
	int *source = (int *)&b->fds[b->launch->fd_caller];
	long r;

	for (uint32_t i = 0; i < b->launch->ncaller; i++) {
		r = move(b, source, i);
		if (r < 0)
			give_up(b, TP_STAGE_CHILD_FDS, r, (uint32_t)b->targets[i]);
	}
	r = close_others(b);
	if (r < 0)
		give_up(b, TP_STAGE_CHILD_FDS, r, 0);
}
