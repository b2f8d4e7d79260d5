/* SPDX-License-Identifier: MIT */
/*
 * zmq-figures [ROUNDS]: round trips of a pointer by ZeroMQ, as a peer of channels, on two CPUs:
 *
 *	zmq-inproc          between two threads, PAIR sockets; both sleep in zmq_recv, as it is used
 *	zmq-inproc-spin     the same, both ask without waiting, again and again
 *	zmq-ipc             between two processes, PAIR sockets over a unix socket
 *
 * One line for each: name, median, p99.9 of single trips; medians of the rounds.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <zmq.h>

#include "trips.h"

enum { ROUNDS_MAX = 99 };

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "zmq-figures: %s: %s\n", what, zmq_strerror(errno));
	exit(1);
}

struct end {
	void *socket;
	int flags; /* ZMQ_DONTWAIT: spin */
};

static void send_pointer(const struct end *e, void *p)
{
	while (zmq_send(e->socket, &p, sizeof(p), e->flags) < 0)
		if (errno != EAGAIN && errno != EINTR)
			die("send");
}

static void *recv_pointer(const struct end *e)
{
	void *p = NULL;

	while (zmq_recv(e->socket, &p, sizeof(p), e->flags) < 0)
		if (errno != EAGAIN && errno != EINTR)
			die("receive");
	return p;
}

static void echo(const struct end *e)
{
	pin(1);
	for (int i = 0; i < TRIPS_ALL; i++)
		send_pointer(e, recv_pointer(e));
}

static void *echo_thread(void *e)
{
	echo(e);
	return NULL;
}

static void trip(void *e, uint32_t number)
{
	send_pointer(e, (void *)(uintptr_t)number);
	if (recv_pointer(e) != (void *)(uintptr_t)number)
		die("another pointer came back");
}

static void *open_socket(void *context, const char *address, int (*attach)(void *, const char *))
{
	void *s = zmq_socket(context, ZMQ_PAIR);

	if (!s || attach(s, address))
		die(address);
	return s;
}

static struct trips by_threads(int flags)
{
	void *context = zmq_ctx_new();
	struct end here = {open_socket(context, "inproc://figures", zmq_bind), flags};
	struct end there = {open_socket(context, "inproc://figures", zmq_connect), flags};
	struct trips t;
	pthread_t thread;

	if (pthread_create(&thread, NULL, echo_thread, &there))
		die("thread");
	t = measure_trips(trip, &here);
	pthread_join(thread, NULL);
	zmq_close(here.socket);
	zmq_close(there.socket);
	zmq_ctx_term(context);
	return t;
}

static _Noreturn void echo_process(const char *address)
{
	void *context = zmq_ctx_new();
	struct end e = {open_socket(context, address, zmq_connect), 0};

	echo(&e);
	zmq_close(e.socket);
	zmq_ctx_term(context);
	_exit(0);
}

static struct trips by_processes(void)
{
	char address[64];
	struct trips t;
	struct end e;
	void *context;
	pid_t pid;

	snprintf(address, sizeof(address), "ipc:///tmp/zmq-figures-%d", (int)getpid());
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0)
		echo_process(address);
	context = zmq_ctx_new();
	e = (struct end){open_socket(context, address, zmq_bind), 0};
	t = measure_trips(trip, &e);
	waitpid(pid, NULL, 0);
	zmq_close(e.socket);
	zmq_ctx_term(context);
	unlink(address + strlen("ipc://"));
	return t;
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"zmq-inproc", "zmq-inproc-spin", "zmq-ipc"};
	static double medians[3][ROUNDS_MAX], tails[3][ROUNDS_MAX];
	int rounds = argc > 1 ? atoi(argv[1]) : 3;

	rounds = rounds < 1 || rounds > ROUNDS_MAX ? 3 : rounds;
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		return 0;
	pin(0);
	for (int round = 0; round < rounds; round++) {
		const struct trips t[3] = {by_threads(0), by_threads(ZMQ_DONTWAIT), by_processes()};

		for (int i = 0; i < 3; i++) {
			medians[i][round] = t[i].median;
			tails[i][round] = t[i].p999;
		}
	}
	for (int i = 0; i < 3; i++)
		print_trips(names[i], medians[i], tails[i], rounds);
	return 0;
}
