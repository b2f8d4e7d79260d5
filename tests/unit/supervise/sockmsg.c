/* SPDX-License-Identifier: MIT */
/* Messages with descriptors: nothing is lost silently, nothing leaks. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "supervise/sockmsg.h"
#include "unit.h"

static int pair[2];

static int open_pair(void **state)
{
	(void)state;
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair);
}

static int close_pair(void **state)
{
	(void)state;
	close(pair[0]);
	close(pair[1]);
	return 0;
}

static int lowest_free(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

static void descriptors_arrive_and_are_not_inherited(void **state)
{
	int fds[TP_SOCK_FDS], send[TP_SOCK_FDS];
	uint32_t n;
	char buf[16];

	(void)state;
	for (int i = 0; i < TP_SOCK_FDS; i++)
		send[i] = 0;
	assert_int_equal(tp_sock_send(pair[0], "hello", 6, send, TP_SOCK_FDS, 0), 0);
	assert_int_equal(tp_sock_receive(pair[1], buf, sizeof(buf), fds, &n), 6);
	assert_string_equal(buf, "hello");
	assert_int_equal(n, TP_SOCK_FDS);
	assert_true(fcntl(fds[0], F_GETFD) & FD_CLOEXEC);
	tp_close_all(fds, n);
}

static void too_many_are_not_sent(void **state)
{
	int send[TP_SOCK_FDS + 1] = {0};

	(void)state;
	assert_int_equal(tp_sock_send(pair[0], "x", 1, send, TP_SOCK_FDS + 1, 0), -EINVAL);
}

static void an_oversized_message_is_refused_and_its_descriptors_closed(void **state)
{
	int fds[TP_SOCK_FDS], zero = 0, before = lowest_free();
	uint32_t n = 9;
	char buf[8];

	(void)state;
	assert_int_equal(tp_sock_send(pair[0], "much too long", 14, &zero, 1, 0), 0);
	assert_int_equal(tp_sock_receive(pair[1], buf, sizeof(buf), fds, &n), -EMSGSIZE);
	assert_int_equal(n, 0);
	assert_int_equal(lowest_free(), before);
}

static void without_room_for_descriptors_the_loss_is_noticed(void **state)
{
	struct rlimit old, tight;
	int fds[TP_SOCK_FDS], send[8] = {0}, before = lowest_free();
	uint32_t n;
	char buf[8];

	(void)state;
	assert_int_equal(tp_sock_send(pair[0], "x", 1, send, 8, 0), 0);
	getrlimit(RLIMIT_NOFILE, &old);
	tight = old;
	tight.rlim_cur = (rlim_t)before + 3;
	setrlimit(RLIMIT_NOFILE, &tight);
	assert_int_equal(tp_sock_receive(pair[1], buf, sizeof(buf), fds, &n), -EMFILE);
	setrlimit(RLIMIT_NOFILE, &old);
	assert_int_equal(n, 0);
	assert_int_equal(lowest_free(), before);
}

static void nothing_there_does_not_block(void **state)
{
	int fds[TP_SOCK_FDS];
	uint32_t n;
	char buf[8];

	(void)state;
	assert_int_equal(tp_sock_receive(pair[1], buf, sizeof(buf), fds, &n), -EAGAIN);
	shutdown(pair[0], SHUT_RDWR);
	assert_int_equal(tp_sock_receive(pair[1], buf, sizeof(buf), fds, &n), 0);
	assert_int_equal(tp_sock_send(pair[1], "x", 1, NULL, 0, 0), -EPIPE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			descriptors_arrive_and_are_not_inherited, open_pair, close_pair),
		cmocka_unit_test_setup_teardown(too_many_are_not_sent, open_pair, close_pair),
		cmocka_unit_test_setup_teardown(
			an_oversized_message_is_refused_and_its_descriptors_closed, open_pair,
			close_pair),
		cmocka_unit_test_setup_teardown(
			without_room_for_descriptors_the_loss_is_noticed, open_pair, close_pair),
		cmocka_unit_test_setup_teardown(
			nothing_there_does_not_block, open_pair, close_pair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
