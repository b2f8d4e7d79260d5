/* SPDX-License-Identifier: MIT */
/*
 * Makes an array of doubles, has another program work on it, and checks what comes back.
 *
 *	produce group ELEMENTS    in a group: publishes it as "samples" and receives the answer through the channel "results"
 *	produce pipe ELEMENTS     anywhere: writes it to standard output and reads the answer from standard input
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <tp/buffer.h>
#include <tp/tp.h>

#include "measure.h"

enum { HEAD = (sizeof(struct tp_buffer) + 63) & ~63, DAY = 1000 };

static void die(const char *what)
{
	fprintf(stderr, "produce: %s: %s\n", what, tp_why());
	exit(1);
}

static void fill(double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] = (double)(i % DAY) * 0.5;
}

/* In whole halves, so that no order of adding up makes a difference. */
static double sum(const double *x, size_t n)
{
	double s = 0;

	for (size_t i = 0; i < n; i++)
		s += x[i];
	return s;
}

static int report(const char *how, double expected, double got, size_t n, long long copied, double seconds)
{
	fprintf(stderr, "produce: the answer's sum is %.1f, %s\n", got, got == 2 * expected ? "as it should be" : "WRONG");
	fprintf(stderr, "produce: %s: %zu MiB there and %zu MiB back, bytes copied %lld, %.3f s, %.0f MiB in my address space\n", how,
		n * sizeof(double) >> 20, n * sizeof(double) >> 20, copied, seconds, mib_of_address_space());
	return got != 2 * expected;
}

/* One block: what the data is, and the data. */
static struct tp_buffer *make_buffer(size_t n)
{
	struct tp_buffer *b;
	void *block;

	if (tp_alloc(HEAD + n * sizeof(double), 64, &block) < 0)
		die("no memory for the array");
	b = block;
	*b = (struct tp_buffer){
		.magic = TP_BUFFER_MAGIC,
		.flags = TP_BUFFER_ONE_BLOCK,
		.data = (char *)block + HEAD,
		.size = n * sizeof(double),
		.itemsize = sizeof(double),
		.dimensions = 2,
		.format = "d",
		.shape = {n / DAY, DAY},
	};
	return b;
}

static int in_group(size_t n)
{
	struct tp_buffer *samples = make_buffer(n), *answer;
	struct tp_chan *results;
	struct tp_message m;
	long long copied;
	double expected, start;
	int r;

	fill(samples->data, n);
	expected = sum(samples->data, n);
	if (tp_chan_create("results", "tp_buffer", NULL, &results) < 0)
		die("the channel");
	copied = bytes_copied();
	start = now();
	if (tp_publish("samples", samples, "tp_buffer", 0) < 0)
		die("publishing");
	if (tp_chan_recv(results, 60 * TP_SECOND, &m) < 0)
		die("waiting for the answer");
	start = now() - start;
	copied = bytes_copied() - copied;
	answer = m.ptr;
	if (answer->magic != TP_BUFFER_MAGIC || answer->size != n * sizeof(double))
		die("something else came back");
	r = report("pointers", expected, sum(answer->data, n), n, copied, start);
	/* The answer was given: it is ours to free, though another program has allocated it. */
	tp_chan_ack(results, &m);
	tp_free(answer);
	tp_unpublish("samples", "tp_buffer");
	tp_chan_destroy(results);
	tp_free(samples);
	return r;
}

static void transfer(int fd, char *at, size_t left, int out)
{
	while (left) {
		ssize_t n = out ? write(fd, at, left) : read(fd, at, left);

		if (n <= 0) {
			perror("produce: the pipe");
			exit(1);
		}
		at += n;
		left -= (size_t)n;
	}
}

static int through_pipe(size_t n)
{
	size_t size = n * sizeof(double);
	double *x = malloc(size), *answer = malloc(size), expected, start;
	long long copied = bytes_copied();
	int r;

	if (!x || !answer)
		return 1;
	fill(x, n);
	expected = sum(x, n);
	start = now();
	transfer(STDOUT_FILENO, (char *)x, size, 1);
	transfer(STDIN_FILENO, (char *)answer, size, 0);
	start = now() - start;
	r = report("pipes", expected, sum(answer, n), n, bytes_copied() - copied, start);
	free(x);
	free(answer);
	return r;
}

int main(int argc, char **argv)
{
	size_t n = argc == 3 ? strtoull(argv[2], NULL, 10) / DAY * DAY : 0;

	if (n && !strcmp(argv[1], "group"))
		return in_group(n);
	if (n && !strcmp(argv[1], "pipe"))
		return through_pipe(n);
	fputs("usage: produce group|pipe ELEMENTS\n", stderr);
	return 2;
}
