/* SPDX-License-Identifier: MIT */
/*
 * cancel-storm FIFO N: N threads that block in read, and N in open of a FIFO that nobody writes, each
 * cancelled at once or a little later. Prints how many cleaned up. A cancellation that gets lost leaves
 * the program hanging.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *fifo;
static int pipe_fds[2];
static unsigned long cleaned;

static void count(void *unused)
{
	(void)unused;
	cleaned++; /* one thread at a time */
}

static void *read_forever(void *unused)
{
	char c;

	pthread_cleanup_push(count, NULL);
	while (read(pipe_fds[0], &c, 1) >= 0)
		;
	pthread_cleanup_pop(0);
	return unused;
}

static void *open_forever(void *unused)
{
	pthread_cleanup_push(count, NULL);
	while (open(fifo, O_RDONLY) >= 0)
		;
	pthread_cleanup_pop(0);
	return unused;
}

static void cancel_one(void *(*work)(void *), unsigned delay)
{
	pthread_t t;
	void *result;

	if (pthread_create(&t, NULL, work, NULL) != 0)
		exit(1);
	if (delay)
		usleep(delay);
	pthread_cancel(t);
	pthread_join(t, &result);
	if (result != PTHREAD_CANCELED)
		exit(2);
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

	fifo = argv[1];
	if (argc < 3 || pipe(pipe_fds) < 0 || mkfifo(fifo, 0600) < 0)
		return 3;
	for (unsigned long k = 0; k < n; k++) {
		cancel_one(read_forever, k % 3 ? 0 : 200);
		cancel_one(open_forever, k % 3 ? 0 : 200);
	}
	unlink(fifo);
	printf("%lu\n", cleaned);
	return cleaned != 2 * n;
}
