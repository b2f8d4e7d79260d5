/* SPDX-License-Identifier: MIT */
/*
 * poller [-a GROUP] consume epoll|poll|select COUNT   receives so many messages in an event loop, then waits for the producers' ends
 * poller [-a GROUP] produce COUNT PAUSE_US            sends so many, with pauses, so that the consumer sleeps in between
 * poller [-a GROUP] linger                            sends one, says so, and waits to be killed
 *
 * With -a as a satellite.
 */
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "guest-tp.h"

static char way;

static int in_epoll(int fd)
{
	static int ep = -1;
	struct epoll_event e;

	if (ep < 0) {
		memset(&e, 0, sizeof(e));
		e.events = EPOLLIN;
		ep = epoll_create1(0);
		CHECK(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e) == 0);
	}
	return epoll_wait(ep, &e, 1, 30000);
}

static int in_poll(int fd)
{
	struct pollfd p;

	p.fd = fd;
	p.events = POLLIN;
	return poll(&p, 1, 30000);
}

static int in_select(int fd)
{
	struct timeval t = {30, 0};
	fd_set set;

	FD_ZERO(&set);
	FD_SET(fd, &set);
	return select(fd + 1, &set, NULL, NULL, &t);
}

/* As an event loop does it: all that is there, arm, wait. */
static int next(struct tp_chan *c, struct tp_message *m, unsigned *waits)
{
	int fd = tp_chan_fd(c), r;

	CHECK(fd >= 0);
	for (;;) {
		r = tp_chan_recv(c, TP_NOWAIT, m);
		if (r != -EAGAIN)
			return r;
		r = tp_chan_arm(c);
		CHECK(r >= 0);
		if (r == 1)
			continue;
		++*waits;
		r = way == 'e' ? in_epoll(fd) : way == 'p' ? in_poll(fd) : in_select(fd);
		if (r != 1) {
			printf("waited in vain\n");
			exit(3);
		}
	}
}

static int consume(int count)
{
	struct tp_chan *c;
	struct tp_message m;
	unsigned waits = 0;
	int n = 0, r, dead = 0;

	RESULT(tp_chan_create("polled", "number", NULL, &c), 0);
	CHECK(tp_chan_fd(c) >= 0);
	say("ready");
	while ((r = next(c, &m, &waits)) != -EPIPE) {
		if (r == -EOWNERDEAD) {
			printf("a producer died\n");
			fflush(stdout);
			dead++;
			if (n == count)
				break;
			continue;
		}
		RESULT(r, 0);
		RESULT(tp_chan_ack(c, &m), 0);
		if (++n == count)
			say("all");
	}
	printf("%d messages, waited %s\n", n, waits > 1 ? "often" : "never");
	tp_chan_destroy(c);
	return n == count ? 0 : 4;
}

static int produce(int count, unsigned pause)
{
	static char *something;
	struct tp_lane *l;

	something = (char *)tp_malloc(64);
	CHECK(something);
	RESULT(tp_chan_open("polled", "number", SOON, &l), 0);
	for (int i = 0; i < count; i++) {
		RESULT(tp_lane_send_lend(l, something, SOON), 0);
		if (pause)
			usleep(pause);
	}
	tp_lane_close(l);
	return 0;
}

static int linger(void)
{
	void *something = tp_malloc(64);
	struct tp_lane *l;

	RESULT(tp_chan_open("polled", "number", SOON, &l), 0);
	RESULT(tp_lane_send_lend(l, something, SOON), 0);
	printf("%d\n", (int)getpid());
	fflush(stdout);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "-a")) {
		RESULT(tp_attach(argv[2]), 0);
		argv += 2;
		argc -= 2;
	}
	if (argc == 4 && !strcmp(argv[1], "consume")) {
		way = argv[2][0];
		return consume(atoi(argv[3]));
	}
	if (argc == 4 && !strcmp(argv[1], "produce"))
		return produce(atoi(argv[2]), (unsigned)atoi(argv[3]));
	return argc == 2 && !strcmp(argv[1], "linger") ? linger() : 2;
}
