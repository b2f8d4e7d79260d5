/* SPDX-License-Identifier: MIT */
#include "crowd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "say.h"

#define READY_MS 10000

/* Every sleeper says one byte. */
static void await_all(int fd, size_t n)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	char bytes[256];

	while (n) {
		ssize_t got = poll(&p, 1, READY_MS) == 1 ? read(fd, bytes, sizeof(bytes)) : 0;

		if (got <= 0)
			bench_die("%zu of the sleeping programs did not start", n);
		n -= (size_t)got < n ? (size_t)got : n;
	}
}

static void launch_all(struct bench_crowd *c, size_t n, const int fds[3])
{
	const char *argv[] = {bench_path("bench-sleeper"), NULL};
	struct tp_error err;

	for (; c->n < n; c->n++) {
		if (!bench_group_try_launch(c->group, argv, fds, &c->seqs[c->n], NULL, &err))
			continue;
		snprintf(c->refusal, sizeof(c->refusal), "%s", err.text);
		break;
	}
}

void bench_crowd_start(struct bench_crowd *c, struct bench_group *group, size_t n)
{
	int in[2], out[2];

	*c = (struct bench_crowd){.group = group, .seqs = calloc(n, sizeof(*c->seqs))};
	if (!c->seqs || pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		bench_die("no room for a crowd: %s", strerror(errno));
	launch_all(c, n, (int[]){in[0], out[1], STDERR_FILENO});
	close(in[0]);
	close(out[1]);
	await_all(out[0], c->n);
	close(out[0]);
	c->hold = in[1];
}

void bench_crowd_end(struct bench_crowd *c)
{
	close(c->hold);
	for (size_t i = 0; i < c->n; i++)
		if (bench_group_wait(c->group, c->seqs[i]))
			bench_die("a sleeping program did not end as it should");
	free(c->seqs);
}
