/* SPDX-License-Identifier: MIT */
/*
 * Hostile clients against a real group: garbage, halves, wrong descriptors, clients that never
 * read. After each, the group still answers, still launches, and has no more descriptors than
 * before.
 *
 * Usage: hostile TPRUN
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "supervise/runtime-dir.h"
#include "supervise/sockmsg.h"
#include "tp/abi/wire.h"
#include "unit.h"

enum { ANSWER_MS = 5000 };

static const char *tprun;
static char group[32];
static pid_t front;
static int descriptors_before;

union message {
	struct tp_wire_head head;
	struct tp_wire_error error;
	struct tp_wire_event event;
	struct tp_wire_info info;
	char bytes[TP_WIRE_MESSAGE_MAX];
};

static int connect_group(void)
{
	struct tp_error err = {0};
	int fd = -1;

	if (tp_runtime_connect(group, &fd, &err) < 0)
		print_error("%s\n", err.text);
	return fd;
}

/* Return: length; 0: disconnected; -1: nothing in time. */
static ssize_t answer(int fd, union message *ret)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	if (poll(&p, 1, ANSWER_MS) != 1)
		return -1;
	return recv(fd, ret, sizeof(*ret), 0);
}

static struct tp_wire_info info(void)
{
	struct tp_wire_head ask = {TP_WIRE_MAGIC, TP_WIRE_VERSION, TP_WIRE_INFO, sizeof(ask), 9};
	int fd = connect_group();
	union message m;

	assert_true(fd >= 0);
	assert_int_equal(send(fd, &ask, sizeof(ask), 0), sizeof(ask));
	assert_int_equal(answer(fd, &m), sizeof(m.info));
	assert_int_equal(m.head.type, TP_WIRE_INFO_REPLY);
	assert_int_equal(m.head.seq, 9);
	close(fd);
	return m.info;
}

static int descriptors_of(pid_t pid)
{
	char path[64];
	DIR *dir;
	int n = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static int blob_of(const void *bytes, size_t len, int seals)
{
	int fd = memfd_create("blob", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), (ssize_t)len);
	if (seals)
		assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

enum { SEALED = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE };

static const char true_blob[] = "/bin/true"; /* argc 1, envc 0, with its NUL */

static struct tp_wire_launch launch_of(uint32_t blob_len)
{
	struct tp_wire_launch m = {
		.head = {TP_WIRE_MAGIC, TP_WIRE_VERSION, TP_WIRE_LAUNCH, sizeof(m), 5},
		.argc = 1,
		.blob_len = blob_len,
		.umask = 022,
		.sid = getsid(0),
		.pgid = getpgid(0)};

	for (int r = 0; r < 16; r++) {
		struct rlimit l = {0, 0};

		getrlimit((__rlimit_resource_t)r, &l);
		m.rlimits[r][0] = l.rlim_cur;
		m.rlimits[r][1] = l.rlim_max;
	}
	return m;
}

static void send_launch(int fd, const struct tp_wire_launch *m, int blob, int cwd)
{
	int fds[2] = {blob, cwd};

	assert_int_equal(tp_sock_send(fd, m, sizeof(*m), fds, 2, 0), 0);
}

static void launch_works(void)
{
	struct tp_wire_launch m = launch_of(sizeof(true_blob));
	int fd = connect_group(), blob = blob_of(true_blob, sizeof(true_blob), SEALED),
	    cwd = open("/", O_PATH | O_CLOEXEC);
	union message got;

	send_launch(fd, &m, blob, cwd);
	assert_true(answer(fd, &got) > 0);
	if (got.head.type == TP_WIRE_ERROR)
		print_error("%s\n", got.error.text);
	assert_int_equal(got.head.type, TP_WIRE_LAUNCHED);
	assert_true(answer(fd, &got) > 0);
	if (got.head.type == TP_WIRE_ERROR)
		print_error("%s\n", got.error.text);
	assert_int_equal(got.head.type, TP_WIRE_EXITED);
	assert_int_equal(got.event.value, 0);
	close(cwd);
	close(blob);
	close(fd);
}

/* The supervisor notices a disconnection a moment after it was made: the fewest of a while count.
 */
static int settled_descriptors(pid_t pid)
{
	int fewest = descriptors_of(pid);

	for (int n = 0; n < 20; n++) {
		int now;

		usleep(20000);
		now = descriptors_of(pid);
		if (now < fewest)
			fewest = now;
	}
	return fewest;
}

static int still_well(void **state)
{
	struct tp_wire_info i;

	(void)state;
	launch_works();
	i = info();
	assert_true(i.host_alive);
	assert_int_equal(settled_descriptors(i.supervisor_pid), descriptors_before);
	return 0;
}

static void expect_error(int fd, const char *words)
{
	union message m;

	assert_true(answer(fd, &m) > 0);
	assert_int_equal(m.head.type, TP_WIRE_ERROR);
	if (!strstr(m.error.text, words))
		print_error("got: %s\n", m.error.text);
	assert_non_null(strstr(m.error.text, words));
}

static void garbage_of_every_size_is_answered_or_dropped(void **state)
{
	static char noise[TP_WIRE_MESSAGE_MAX * 2];
	uint32_t seed = 12345;

	(void)state;
	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = (char)((seed = seed * 1664525 + 1013904223) >> 24);
	for (int round = 0; round < 300; round++) {
		size_t len = round * (size_t)97 % sizeof(noise);
		int fd = connect_group(), fds[3] = {0, 1, 2};
		union message m;

		if (round % 3 == 0 && len >= sizeof(m.head))
			*(struct tp_wire_head *)(void *)noise = (struct tp_wire_head){TP_WIRE_MAGIC,
				TP_WIRE_VERSION, (uint16_t)(round / 3 % 20), (uint32_t)len, 1};
		assert_int_equal(tp_sock_send(fd, noise, len, fds, round % 4, 0), 0);
		if (answer(fd, &m) > 0)
			assert_int_equal(m.head.type, TP_WIRE_ERROR);
		close(fd);
	}
}

static void strings_in_anything_but_a_sealed_memfd_are_refused(void **state)
{
	struct tp_wire_launch m = launch_of(sizeof(true_blob));
	int fd = connect_group(), cwd = open("/", O_PATH | O_CLOEXEC), ends[2];
	int open_blob = blob_of(true_blob, sizeof(true_blob), F_SEAL_SHRINK);
	int short_blob = blob_of("/bin", 4, SEALED);

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	send_launch(fd, &m, ends[0], cwd);
	expect_error(fd, "sealed memfd");
	send_launch(fd, &m, open_blob, cwd);
	expect_error(fd, "sealed memfd");
	send_launch(fd, &m, cwd, cwd);
	expect_error(fd, "sealed memfd");
	send_launch(fd, &m, short_blob, cwd);
	expect_error(fd, "not as long");
	m.argc = 3;
	send_launch(fd, &m, short_blob, cwd);
	expect_error(fd, "");
	close(ends[0]);
	close(ends[1]);
	close(open_blob);
	close(short_blob);
	close(cwd);
	close(fd);
}

/* Descriptors 0 to 999 announced, a quarter sent. */
static void a_half_sent_launch_is_forgotten_with_its_client(void **state)
{
	struct tp_wire_launch m = launch_of(sizeof(true_blob) + 1000 * 4);
	int fds[TP_WIRE_FDS_BATCH], n = 0;

	(void)state;
	m.nfds = 1000;
	for (int i = 0; i < TP_WIRE_FDS_BATCH; i++)
		fds[i] = 2;
	for (; n < 20; n++) {
		int fd = connect_group();

		assert_int_equal(tp_sock_send(fd, &m, sizeof(m), fds, TP_WIRE_FDS_BATCH, 0), 0);
		info();
		close(fd);
	}
}

static void descriptors_for_no_launch_are_refused(void **state)
{
	struct tp_wire_head more = {TP_WIRE_MAGIC, TP_WIRE_VERSION, TP_WIRE_FDS, sizeof(more), 3};
	struct tp_wire_launch m = launch_of(sizeof(true_blob) + 1000 * 4);
	int fd = connect_group(), fds[TP_WIRE_FDS_BATCH];

	(void)state;
	for (int i = 0; i < TP_WIRE_FDS_BATCH; i++)
		fds[i] = 2;
	assert_int_equal(tp_sock_send(fd, &more, sizeof(more), fds, 3, 0), 0);
	expect_error(fd, "no launch");
	m.nfds = 300;
	m.blob_len = sizeof(true_blob) + 300 * 4;
	assert_int_equal(tp_sock_send(fd, &m, sizeof(m), fds, TP_WIRE_FDS_BATCH, 0), 0);
	more.seq = m.head.seq;
	assert_int_equal(tp_sock_send(fd, &more, sizeof(more), fds, 100, 0), 0);
	expect_error(fd, "more descriptors");
	close(fd);
}

static void a_client_that_never_reads_is_dropped(void **state)
{
	struct tp_wire_head ask = {TP_WIRE_MAGIC, TP_WIRE_VERSION, TP_WIRE_PS, sizeof(ask), 1};
	int fd = connect_group(), dropped = 0;

	(void)state;
	/* However slow the machine is: it is the amount that counts. */
	for (time_t end = time(NULL) + 90; time(NULL) < end && !dropped;) {
		int r = tp_sock_send(fd, &ask, sizeof(ask), NULL, 0, MSG_DONTWAIT);

		if (r == -EAGAIN)
			usleep(500);
		else if (r < 0)
			dropped = 1;
	}
	assert_true(dropped);
	close(fd);
}

static void clients_that_vanish_at_once_leave_nothing(void **state)
{
	struct tp_wire_launch m = launch_of(sizeof(true_blob));
	int blob = blob_of(true_blob, sizeof(true_blob), SEALED),
	    cwd = open("/", O_PATH | O_CLOEXEC);

	(void)state;
	for (int i = 0; i < 50; i++) {
		int fd = connect_group();

		send_launch(fd, &m, blob, cwd);
		close(fd);
	}
	close(blob);
	close(cwd);
	for (int i = 0; i < 100 && info().programs > 1; i++)
		usleep(20000);
	assert_int_equal(info().programs, 1);
}

static void signals_and_stops_for_nobody_are_answered(void **state)
{
	struct tp_wire_signal s = {
		.head = {TP_WIRE_MAGIC, TP_WIRE_VERSION, TP_WIRE_SIGNAL, sizeof(s), 1}, .signo = 9};
	struct tp_wire_stop stop = {
		.head = {TP_WIRE_MAGIC, TP_WIRE_VERSION, TP_WIRE_STOP, sizeof(stop), 2},
		.name = "nobody"};
	int fd = connect_group();

	(void)state;
	s.id = UINT64_C(0xffffffffffff);
	assert_int_equal(send(fd, &s, sizeof(s), 0), sizeof(s));
	expect_error(fd, "has ended");
	s.signo = 1000;
	assert_int_equal(send(fd, &s, sizeof(s), 0), sizeof(s));
	expect_error(fd, "not the number");
	assert_int_equal(send(fd, &stop, sizeof(stop), 0), sizeof(stop));
	expect_error(fd, "nobody");
	s.head.type = TP_WIRE_RECLAIM;
	assert_int_equal(send(fd, &s, sizeof(s), 0), sizeof(s));
	expect_error(fd, "lingering");
	close(fd);
}

static struct tp_wire_key key_of(unsigned type, uint64_t key)
{
	return (struct tp_wire_key){
		.head = {TP_WIRE_MAGIC, TP_WIRE_VERSION, (uint16_t)type, sizeof(struct tp_wire_key), 7}, .key = key};
}

static void ask_key(int fd, unsigned type, uint64_t key, int sent)
{
	struct tp_wire_key m = key_of(type, key);

	assert_int_equal(tp_sock_send(fd, &m, sizeof(m), &sent, sent >= 0, 0), 0);
}

static void expect(int fd, unsigned type)
{
	union message m;

	assert_true(answer(fd, &m) > 0);
	if (m.head.type == TP_WIRE_ERROR && type != TP_WIRE_ERROR)
		print_error("%s\n", m.error.text);
	assert_int_equal(m.head.type, type);
}

static void send_attach(int fd, uint16_t major, uint16_t minor, uint64_t features)
{
	struct tp_wire_attach m = {.head = {TP_WIRE_MAGIC, TP_WIRE_VERSION, TP_WIRE_ATTACH, sizeof(m), 8},
		.abi_major = major,
		.abi_minor = minor,
		.features = features};

	assert_int_equal(send(fd, &m, sizeof(m), 0), sizeof(m));
}

/* Return: the new satellite's id; its two descriptors are closed. */
static uint64_t attach(int fd)
{
	int fds[TP_SOCK_FDS];
	struct tp_wire_attached m;
	struct pollfd p = {.fd = fd, .events = POLLIN};
	uint32_t nfds;

	send_attach(fd, TP_ABI_MAJOR, TP_ABI_MINOR, TP_FEATURE_AREAS);
	assert_int_equal(poll(&p, 1, ANSWER_MS), 1);
	assert_int_equal(tp_sock_receive(fd, &m, sizeof(m), fds, &nfds), sizeof(m));
	assert_int_equal(m.head.type, TP_WIRE_ATTACHED);
	assert_int_equal(nfds, 2);
	tp_close_all(fds, nfds);
	return m.id;
}

static void detach(int fd)
{
	struct tp_wire_head m = {TP_WIRE_MAGIC, TP_WIRE_VERSION, TP_WIRE_DETACH, sizeof(m), 9};

	assert_int_equal(send(fd, &m, sizeof(m), 0), sizeof(m));
	expect(fd, TP_WIRE_OK);
}

static void strangers_keep_watch_and_detach_nothing(void **state)
{
	struct tp_wire_head m = {TP_WIRE_MAGIC, TP_WIRE_VERSION, TP_WIRE_DETACH, sizeof(m), 9};
	int fd = connect_group(), event = eventfd(0, EFD_CLOEXEC);

	(void)state;
	ask_key(fd, TP_WIRE_FD_PUT, 1, event);
	expect_error(fd, "neither a program nor a satellite");
	ask_key(fd, TP_WIRE_WATCH, 1, event);
	expect_error(fd, "neither a program nor a satellite");
	ask_key(fd, TP_WIRE_FD_GET, 1, -1);
	expect_error(fd, "neither a program nor a satellite");
	ask_key(fd, TP_WIRE_FD_DROP, 1, -1);
	expect_error(fd, "neither a program nor a satellite");
	assert_int_equal(send(fd, &m, sizeof(m), 0), sizeof(m));
	expect_error(fd, "no satellite");
	ask_key(fd, TP_WIRE_FD_PUT, 1, -1);
	expect_error(fd, "exactly one descriptor");
	ask_key(fd, TP_WIRE_FD_GET, 1, event);
	expect_error(fd, "nobody asked for");
	close(event);
	close(fd);
}

static void attaching_with_another_version_names_both(void **state)
{
	int fd = connect_group();

	(void)state;
	send_attach(fd, TP_ABI_MAJOR + 7, 3, 0);
	expect_error(fd, "version 7.3");
	send_attach(fd, TP_ABI_MAJOR, TP_ABI_MINOR + 1, 0);
	expect_error(fd, "the group 0.1");
	send_attach(fd, TP_ABI_MAJOR, TP_ABI_MINOR, UINT64_C(1) << 50);
	expect_error(fd, "features 0x4000000000000");
	close(fd);
}

/* One that asks again has become another program in between. */
static void attaching_twice_ends_the_first(void **state)
{
	int fd = connect_group();
	uint64_t first = attach(fd), second = attach(fd);

	(void)state;
	assert_true(second >> TP_ID_INDEX_BITS > first >> TP_ID_INDEX_BITS);
	assert_int_equal(info().programs, 1);
	detach(fd);
	close(fd);
}

static void a_satellite_keeps_so_many_descriptors_and_no_more(void **state)
{
	struct tp_wire_key get = key_of(TP_WIRE_FD_GET, 5);
	int fd = connect_group(), fds[TP_SOCK_FDS];
	struct pollfd p = {.fd = fd, .events = POLLIN};
	uint64_t id = attach(fd);
	union message m;
	uint32_t nfds;

	(void)state;
	for (uint64_t key = 1; key <= 1024; key++) {
		ask_key(fd, TP_WIRE_FD_PUT, key, 0);
		expect(fd, TP_WIRE_OK);
	}
	ask_key(fd, TP_WIRE_FD_PUT, 2000, 0);
	expect_error(fd, "keeps 1024 descriptors");
	ask_key(fd, TP_WIRE_FD_PUT, 7, 1); /* instead of the first */
	expect(fd, TP_WIRE_OK);
	get.owner = id;
	assert_int_equal(send(fd, &get, sizeof(get), 0), sizeof(get));
	assert_int_equal(poll(&p, 1, ANSWER_MS), 1);
	assert_int_equal(tp_sock_receive(fd, &m, sizeof(m), fds, &nfds), sizeof(m.head));
	assert_int_equal(m.head.type, TP_WIRE_FD_REPLY);
	assert_int_equal(nfds, 1);
	tp_close_all(fds, nfds);
	get.owner = id + 1;
	assert_int_equal(send(fd, &get, sizeof(get), 0), sizeof(get));
	expect_error(fd, "no descriptor is kept");
	ask_key(fd, TP_WIRE_FD_DROP, 5, -1);
	expect(fd, TP_WIRE_OK);
	get.owner = id;
	assert_int_equal(send(fd, &get, sizeof(get), 0), sizeof(get));
	expect_error(fd, "no descriptor is kept");
	detach(fd);
	close(fd);
}

/* Full, and made to block: the supervisor writes what it can, and waits for nobody. */
static void only_eventfds_are_written_and_none_is_waited_for(void **state)
{
	int fd = connect_group(), event = eventfd(0, EFD_CLOEXEC), ends[2];
	uint64_t full = UINT64_MAX - 1, count = 0;

	(void)state;
	attach(fd);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	ask_key(fd, TP_WIRE_WATCH, 1, ends[1]);
	expect_error(fd, "only an eventfd");
	ask_key(fd, TP_WIRE_WATCH, 1, event);
	expect(fd, TP_WIRE_OK);
	assert_int_equal(write(event, &full, sizeof(full)), sizeof(full));
	fcntl(event, F_SETFL, 0);
	launch_works();
	launch_works();
	assert_int_equal(read(event, &count, sizeof(count)), sizeof(count));
	assert_true(count == full);
	launch_works();
	assert_int_equal(read(event, &count, sizeof(count)), sizeof(count));
	assert_true(count >= 1 && count <= 4);
	detach(fd);
	close(ends[0]);
	close(ends[1]);
	close(event);
	close(fd);
}

static void satellites_that_vanish_leave_nothing(void **state)
{
	int status;

	(void)state;
	for (int i = 0; i < 40; i++) {
		pid_t pid = fork();

		if (!pid) {
			int fd = connect_group();

			attach(fd);
			for (uint64_t key = 1; key < 5; key++)
				ask_key(fd, TP_WIRE_FD_PUT, key, 0);
			_exit(0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
}

static int start_group(void **state)
{
	struct tp_error err;
	int fd;

	(void)state;
	snprintf(group, sizeof(group), "hostile-%d", (int)getpid());
	front = fork();
	if (!front) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		execl(tprun, "tprun", "run", "-g", group, "--", "sleep", "120", (char *)NULL);
		_exit(127);
	}
	for (int i = 0; i < 250; i++) {
		usleep(20000);
		if (tp_runtime_connect(group, &fd, &err) < 0)
			continue;
		close(fd);
		if (info().programs != 1)
			continue;
		launch_works();
		descriptors_before = settled_descriptors(info().supervisor_pid);
		return 0;
	}
	print_error("%s\n", err.text);
	return -1;
}

static int stop_group(void **state)
{
	int status;

	(void)state;
	kill(front, SIGTERM);
	return waitpid(front, &status, 0) == front ? 0 : -1;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(garbage_of_every_size_is_answered_or_dropped, still_well),
		cmocka_unit_test_teardown(
			strings_in_anything_but_a_sealed_memfd_are_refused, still_well),
		cmocka_unit_test_teardown(
			a_half_sent_launch_is_forgotten_with_its_client, still_well),
		cmocka_unit_test_teardown(descriptors_for_no_launch_are_refused, still_well),
		cmocka_unit_test_teardown(a_client_that_never_reads_is_dropped, still_well),
		cmocka_unit_test_teardown(clients_that_vanish_at_once_leave_nothing, still_well),
		cmocka_unit_test_teardown(signals_and_stops_for_nobody_are_answered, still_well),
		cmocka_unit_test_teardown(strangers_keep_watch_and_detach_nothing, still_well),
		cmocka_unit_test_teardown(attaching_with_another_version_names_both, still_well),
		cmocka_unit_test_teardown(attaching_twice_ends_the_first, still_well),
		cmocka_unit_test_teardown(a_satellite_keeps_so_many_descriptors_and_no_more, still_well),
		cmocka_unit_test_teardown(only_eventfds_are_written_and_none_is_waited_for, still_well),
		cmocka_unit_test_teardown(satellites_that_vanish_leave_nothing, still_well),
	};

	if (argc != 2)
		return 2;
	tprun = argv[1];
	return cmocka_run_group_tests(tests, start_group, stop_group);
}
