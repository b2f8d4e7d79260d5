/* SPDX-License-Identifier: MIT */
#include "counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "say.h"

static int open_one(enum bench_count what, pid_t pid)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = what == BENCH_CPU_NS ? PERF_TYPE_SOFTWARE : PERF_TYPE_HARDWARE,
		.config = what == BENCH_CPU_NS ? (uint64_t)PERF_COUNT_SW_TASK_CLOCK
					       : (uint64_t)PERF_COUNT_HW_INSTRUCTIONS,
		.inherit = 1,
	};
	long fd = syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

int bench_counter_open(
	struct bench_counter *ret_counter, enum bench_count what, const pid_t *pids, size_t n)
{
	struct bench_counter c = {.n = 0};

	for (; c.n < n; c.n++) {
		int fd = open_one(what, pids[c.n]);

		if (fd < 0) {
			bench_counter_close(&c);
			return fd;
		}
		c.fds[c.n] = fd;
	}
	*ret_counter = c;
	return 0;
}

void bench_counter_close(struct bench_counter *c)
{
	for (size_t i = 0; i < c->n; i++)
		close(c->fds[i]);
	c->n = 0;
}

double bench_counter_read(const struct bench_counter *c)
{
	double sum = 0;

	for (size_t i = 0; i < c->n; i++) {
		uint64_t value;

		if (read(c->fds[i], &value, sizeof(value)) != (ssize_t)sizeof(value))
			bench_die("a counter cannot be read: %s", strerror(errno));
		sum += (double)value;
	}
	return sum;
}
