/* SPDX-License-Identifier: MIT */
/*
 * redis-server inside a group and outside, asked by redis-benchmark in turns.
 */
#include "figures.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"
#include "say.h"
#include "stats.h"

#define ROUNDS   50
#define CERTAIN  0.13 /* of the distance between quartiles: the standard error of a median of 50 */
#define START_MS 5000
#define SERVER   "/usr/bin/redis-server"
#define CLIENT   "/usr/bin/redis-benchmark"

struct server {
	struct bench_group *group;
	uint32_t seq;
	pid_t pid;
	char port[8];
	struct bench_series rps, p999;
};

static int listener(struct sockaddr_in *ret_address)
{
	socklen_t len = sizeof(*ret_address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	*ret_address = (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	if (fd < 0 || bind(fd, (struct sockaddr *)ret_address, len) ||
		getsockname(fd, (struct sockaddr *)ret_address, &len))
		bench_die("no free port: %s", strerror(errno));
	return fd;
}

static int answers(const char *port)
{
	struct sockaddr_in a = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)atoi(port)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int ok = fd >= 0 && !connect(fd, (struct sockaddr *)&a, sizeof(a));

	close(fd);
	return ok;
}

static void start_server(struct server *s, struct bench_group *group)
{
	const char *argv[] = {SERVER, "--port", s->port, "--bind", "127.0.0.1", "--save", "",
		"--appendonly", "no", "--daemonize", "no", NULL};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int fds[3] = {null, null, STDERR_FILENO};
	struct sockaddr_in address;
	int reserved = listener(&address);

	*s = (struct server){.group = group};
	snprintf(s->port, sizeof(s->port), "%d", ntohs(address.sin_port));
	close(reserved);
	if (group)
		s->seq = bench_group_launch(group, argv, fds, &s->pid);
	else
		s->pid = bench_spawn_tied(argv, fds);
	close(null);
	for (int ms = 0; !answers(s->port); ms += 10) {
		if (ms > START_MS)
			bench_die("redis-server %s a group does not answer",
				group ? "inside" : "outside");
		usleep(10000);
	}
}

static void end_server(struct server *s)
{
	kill(s->pid, SIGTERM);
	if (s->group)
		bench_group_wait(s->group, s->seq);
	else
		waitpid(s->pid, NULL, 0);
	bench_series_fini(&s->rps);
	bench_series_fini(&s->p999);
}

/* From redis-benchmark's lines: "99.902% <= 0.415 milliseconds (cumulative count 49951)", of which
 * the first at or above 99.9 counts, and "throughput summary: 98814.23 requests per second". */
static void read_answer(FILE *f, double *ret_rps, double *ret_p999)
{
	char line[512];
	double share, ms;

	*ret_rps = *ret_p999 = 0;
	while (fgets(line, sizeof(line), f)) {
		char *at = strrchr(line, '\r'); /* progress is overwritten in place */

		at = at ? at + 1 : line;
		if (!*ret_p999 && sscanf(at, "%lf%% <= %lf milliseconds", &share, &ms) == 2 &&
			share >= 99.9)
			*ret_p999 = ms;
		sscanf(at, " throughput summary: %lf", ret_rps);
	}
}

static void ask_server(struct server *s)
{
	const char *argv[] = {CLIENT, "-h", "127.0.0.1", "-p", s->port, "-t", "get", "-n", "20000",
		"-c", "20", NULL};
	int out[2], null = open("/dev/null", O_RDWR | O_CLOEXEC);
	double rps, p999;
	pid_t pid;
	FILE *f;

	if (null < 0 || pipe2(out, O_CLOEXEC))
		bench_die("no pipe: %s", strerror(errno));
	pid = bench_spawn(argv, (int[]){null, out[1], STDERR_FILENO}, environ);
	close(out[1]);
	close(null);
	f = fdopen(out[0], "r");
	if (!f)
		bench_die("no stream: %s", strerror(errno));
	read_answer(f, &rps, &p999);
	fclose(f);
	waitpid(pid, NULL, 0);
	if (!rps || !p999)
		bench_die("redis-benchmark's answer is not understood");
	bench_series_add(&s->rps, rps);
	bench_series_add(&s->p999, p999);
}

/* Of the rounds' ratios, in the order they were taken: median and quartiles. */
struct ratio {
	double median, low, high;
};

static struct ratio ratio(const struct bench_series *in, const struct bench_series *out)
{
	struct bench_series ratios = {.n = 0};
	struct ratio r;

	for (size_t i = 0; i < in->n; i++)
		bench_series_add(&ratios, in->values[i] / out->values[i]);
	r = (struct ratio){
		.median = bench_series_median(&ratios),
		.low = bench_series_at(&ratios, 0.25),
		.high = bench_series_at(&ratios, 0.75),
	};
	bench_series_fini(&ratios);
	return r;
}

static void report(struct server *in, struct server *out)
{
	struct ratio rps = ratio(&in->rps, &out->rps), p999 = ratio(&in->p999, &out->p999);

	bench_row(&(struct bench_figure){"redis-benchmark GET, requests a second inside / outside",
			  rps.median, "x", BENCH_AT_LEAST, 0.95, NULL},
		"%.0f / %.0f, quartiles %.2f-%.2f, %d rounds in turns",
		bench_series_median(&in->rps), bench_series_median(&out->rps), rps.low, rps.high,
		ROUNDS);
	bench_row(&(struct bench_figure){"redis-benchmark GET, p99.9 inside / outside", p999.median,
			  "x", BENCH_AT_MOST, 1.1,
			  "20 requests of a round decide, which one hold-up of the machine delays together"},
		"%.2f ms / %.2f ms, quartiles %.2f-%.2f: the value is good to %.2f", bench_series_median(&in->p999),
		bench_series_median(&out->p999), p999.low, p999.high, CERTAIN * (p999.high - p999.low));
}

void bench_figure_redis(void)
{
	struct bench_group group;
	struct server in, out;

	if (access(SERVER, X_OK) || access(CLIENT, X_OK)) {
		bench_row_missing("redis-benchmark inside / outside",
			"redis-server and redis-benchmark are not installed");
		return;
	}
	bench_group_start(&group);
	start_server(&in, &group);
	start_server(&out, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		ask_server(i & 1 ? &in : &out);
		ask_server(i & 1 ? &out : &in);
	}
	report(&in, &out);
	end_server(&in);
	end_server(&out);
	bench_group_end(&group);
}
