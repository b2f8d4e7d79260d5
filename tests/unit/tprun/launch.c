/* SPDX-License-Identifier: MIT */
/*
 * The launch request as it leaves: read back from the other end of a real socket.
 */
#include "unit.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "tprun/client.h"

static const uint64_t rlimits[16][2] = {{1, 2}, [15] = {3, UINT64_MAX}};

struct received {
	union {
		struct tp_wire_launch launch;
		struct tp_wire_head head;
		uint8_t bytes[TP_WIRE_MESSAGE_MAX];
	} m;
	ssize_t len;
	int fds[TP_WIRE_FDS_BATCH + 1];
	size_t nfds;
};

static void receive(int fd, struct received *r)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(r->fds))];
	} control;
	struct iovec iov = {&r->m, sizeof(r->m)};
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *c;

	r->len = recvmsg(fd, &msg, MSG_CMSG_CLOEXEC);
	assert_true(r->len >= (ssize_t)sizeof(r->m.head));
	assert_false(msg.msg_flags & (MSG_TRUNC | MSG_CTRUNC));
	c = CMSG_FIRSTHDR(&msg);
	r->nfds = c ? (c->cmsg_len - CMSG_LEN(0)) / sizeof(int) : 0;
	if (c)
		memcpy(r->fds, CMSG_DATA(c), r->nfds * sizeof(int));
	assert_int_equal(r->m.head.magic, TP_WIRE_MAGIC);
	assert_int_equal(r->m.head.len, r->len);
}

static void connect_pair(struct tp_client *c, int *other)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	*c = (struct tp_client){.fd = pair[0]};
	*other = pair[1];
}

static void close_all(struct received *r)
{
	for (size_t i = 0; i < r->nfds; i++)
		close(r->fds[i]);
}

static int same_file(int a, int b)
{
	struct stat x, y;

	assert_int_equal(fstat(a, &x), 0);
	assert_int_equal(fstat(b, &y), 0);
	return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static void request_holds_all(void **state)
{
	char *argv[] = {"prog", "", "a b", NULL}, *envp[] = {"X=1", "Y=", NULL};
	static const char strings[] = "prog\0\0a b\0X=1\0Y=";
	int fds[] = {0, 2}, targets[] = {0, 77};
	int root = open("/", O_PATH | O_CLOEXEC), cwd = open("/tmp", O_PATH | O_CLOEXEC), other;
	struct tp_request request = {
		.name = "it",
		.argv = argv,
		.envp = envp,
		.fds = fds,
		.targets = targets,
		.nfds = 2,
		.cwd_fd = cwd,
		.root_fd = root,
		.flags = TP_WIRE_LINGER,
		.pgid = 11,
		.sid = 12,
		.umask = 022,
		.nice = -3,
		.sigmask = 5,
		.sigignore = 6,
		.rlimits = rlimits,
	};
	char blob[64];
	struct tp_client c;
	struct tp_error err;
	struct received r;
	uint32_t seq;

	(void)state;
	connect_pair(&c, &other);
	assert_int_equal(tp_client_launch(&c, &request, &seq, &err), 0);
	receive(other, &r);
	assert_int_equal(r.m.head.type, TP_WIRE_LAUNCH);
	assert_int_equal(r.m.head.seq, seq);
	assert_int_equal(r.len, sizeof(r.m.launch));
	assert_int_equal(r.m.launch.flags, TP_WIRE_LINGER | TP_WIRE_ROOT);
	assert_int_equal(r.m.launch.argc, 3);
	assert_int_equal(r.m.launch.envc, 2);
	assert_int_equal(r.m.launch.nfds, 2);
	assert_int_equal(r.m.launch.nice, -3);
	assert_string_equal(r.m.launch.name, "it");
	assert_memory_equal(r.m.launch.rlimits, rlimits, sizeof(rlimits));
	assert_int_equal(r.nfds, 5);
	assert_true(same_file(r.fds[1], cwd));
	assert_true(same_file(r.fds[2], root));
	assert_true(same_file(r.fds[3], 0));
	assert_int_equal(r.m.launch.blob_len, 8 + sizeof(strings));
	assert_int_equal(pread(r.fds[0], blob, sizeof(blob), 0), 8 + sizeof(strings));
	assert_memory_equal(blob, targets, 8);
	assert_memory_equal(blob + 8, strings, sizeof(strings));
	assert_int_equal(fcntl(r.fds[0], F_GET_SEALS),
		F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
	close_all(&r);
	close(other);
	tp_client_close(&c);
}

static void many_descriptors_go_in_batches(void **state)
{
	char *argv[] = {"prog", NULL}, *envp[] = {NULL};
	int fds[600], other;
	struct tp_request request = {
		.argv = argv,
		.envp = envp,
		.fds = fds,
		.nfds = 600,
		.cwd_fd = 0,
		.root_fd = -1,
		.rlimits = rlimits,
	};
	size_t expected[] = {TP_WIRE_FDS_BATCH, TP_WIRE_FDS_BATCH, 602 - 2 * TP_WIRE_FDS_BATCH};
	struct tp_client c;
	struct tp_error err;
	struct received r;
	uint32_t seq;

	(void)state;
	for (int i = 0; i < 600; i++)
		fds[i] = i % 3;
	connect_pair(&c, &other);
	assert_int_equal(tp_client_launch(&c, &request, &seq, &err), 0);
	for (int i = 0; i < 3; i++) {
		receive(other, &r);
		assert_int_equal(r.m.head.type, i ? TP_WIRE_FDS : TP_WIRE_LAUNCH);
		assert_int_equal(r.m.head.seq, seq);
		assert_int_equal(r.nfds, expected[i]);
		close_all(&r);
	}
	close(other);
	tp_client_close(&c);
}

static void megabytes_of_arguments_are_taken(void **state)
{
	char *big = malloc(100000), *argv[51], *envp[] = {NULL};
	int other;
	struct tp_request request = {
		.argv = argv,
		.envp = envp,
		.cwd_fd = 0,
		.root_fd = -1,
		.rlimits = rlimits,
	};
	struct tp_client c;
	struct tp_error err;
	struct received r;
	uint32_t seq;

	(void)state;
	memset(big, 'x', 99999);
	big[99999] = 0;
	for (int i = 0; i < 50; i++)
		argv[i] = big;
	argv[50] = NULL;
	connect_pair(&c, &other);
	assert_int_equal(tp_client_launch(&c, &request, &seq, &err), 0);
	receive(other, &r);
	assert_int_equal(r.m.launch.blob_len, 5000000);
	close_all(&r);
	free(big);
	close(other);
	tp_client_close(&c);
}

static void too_much_is_refused_in_words(void **state)
{
	static char *argv[202], *envp[] = {NULL};
	char *big = malloc(100000);
	int other;
	struct tp_request request = {
		.argv = argv,
		.envp = envp,
		.cwd_fd = 0,
		.root_fd = -1,
		.rlimits = rlimits,
	};
	struct tp_client c;
	struct tp_error err;
	uint32_t seq;

	(void)state;
	memset(big, 'x', 99999);
	big[99999] = 0;
	argv[0] = "prog";
	for (int i = 1; i < 201; i++)
		argv[i] = big;
	connect_pair(&c, &other);
	assert_int_equal(tp_client_launch(&c, &request, &seq, &err), -E2BIG);
	assert_int_equal(err.status, TP_STATUS_NOT_EXECUTABLE);
	assert_non_null(strstr(err.text, "argument list too long"));
	free(big);
	close(other);
	tp_client_close(&c);
}

static void dead_supervisor_is_told(void **state)
{
	char *argv[] = {"prog", NULL}, *envp[] = {NULL};
	int other;
	struct tp_request request = {
		.argv = argv,
		.envp = envp,
		.cwd_fd = 0,
		.root_fd = -1,
		.rlimits = rlimits,
	};
	struct tp_client c;
	struct tp_error err;
	union tp_message m;
	uint32_t seq;

	(void)state;
	connect_pair(&c, &other);
	close(other);
	assert_int_equal(tp_client_launch(&c, &request, &seq, &err), -EPIPE);
	assert_int_equal(err.status, TP_STATUS_OWN);
	assert_int_equal(tp_client_receive(&c, 0, &m), -EPIPE);
	tp_client_close(&c);
}

static void last_words_of_a_supervisor_are_heard(void **state)
{
	struct tp_wire_event e = {
		.head = {TP_WIRE_MAGIC, TP_WIRE_VERSION, TP_WIRE_EXITED, sizeof(e), 1},
	};
	struct tp_client c;
	union tp_message m;
	uint32_t seq;
	int other;

	(void)state;
	connect_pair(&c, &other);
	assert_int_equal(tp_client_ask(&c, TP_WIRE_PS, &seq), 0); /* stays unread */
	assert_int_equal(send(other, &e, sizeof(e), 0), sizeof(e));
	close(other);
	assert_int_equal(tp_client_receive(&c, 0, &m), 0);
	assert_int_equal(m.head.type, TP_WIRE_EXITED);
	assert_int_equal(tp_client_receive(&c, 0, &m), -EPIPE);
	tp_client_close(&c);
}

static void replies_of_others_are_not_believed(void **state)
{
	struct tp_wire_event e = {
		.head = {TP_WIRE_MAGIC, TP_WIRE_VERSION, TP_WIRE_EXITED, sizeof(e), 1},
	};
	struct tp_client c;
	union tp_message m;
	int other;

	(void)state;
	connect_pair(&c, &other);
	assert_int_equal(tp_client_receive(&c, 0, &m), -EAGAIN);
	assert_int_equal(send(other, &e, sizeof(e), 0), sizeof(e));
	assert_int_equal(tp_client_receive(&c, 0, &m), 0);
	send(other, &e, sizeof(e) - 1, 0); /* shorter than it says */
	assert_int_equal(tp_client_receive(&c, 0, &m), -EPROTO);
	e.head.len = sizeof(e.head);
	send(other, &e, sizeof(e.head), 0); /* shorter than its type */
	assert_int_equal(tp_client_receive(&c, 0, &m), -EPROTO);
	e.head.len = sizeof(e);
	e.head.version++;
	send(other, &e, sizeof(e), 0);
	assert_int_equal(tp_client_receive(&c, 0, &m), -EPROTO);
	send(other, "x", 1, 0);
	assert_int_equal(tp_client_receive(&c, 0, &m), -EPROTO);
	close(other);
	tp_client_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(request_holds_all),
		cmocka_unit_test(many_descriptors_go_in_batches),
		cmocka_unit_test(megabytes_of_arguments_are_taken),
		cmocka_unit_test(too_much_is_refused_in_words),
		cmocka_unit_test(dead_supervisor_is_told),
		cmocka_unit_test(last_words_of_a_supervisor_are_heard),
		cmocka_unit_test(replies_of_others_are_not_believed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
