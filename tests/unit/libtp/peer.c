/* SPDX-License-Identifier: MIT */
/* Who is in the group, whose memory is whose, and descriptors that go from program to program
 * without a supervisor. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core.h"
#include "fds.h"
#include "fixture.h"
#include "owner.h"
#include <tp/heap.h>
#include <tp/member.h>

static struct tp_segment *const segment = (struct tp_segment *)TP_SEGMENT_BASE;

static void outside_a_group_they_say_so(void **state)
{
	struct tp_peer_info p = {.pid = 7};
	struct tp_owner o = {.size = 7};

	(void)state;
	assert_int_equal(tp_peer("a", &p), -ENOTCONN);
	assert_int_equal(tp_peer_by_id(1, &p), -ENOTCONN);
	assert_int_equal(tp_peers(&p, 1), -ENOTCONN);
	assert_int_equal(tp_owner_of(&p, &o), -ENOTCONN);
	assert_int_equal(p.pid, 7);
	assert_int_equal(o.size, 7);
}

static void the_live_one_of_a_name_comes_first(void **state)
{
	uint64_t first = tpgroup_add("bash"), second, me = tpgroup_add("me");
	struct tp_peer_info p;

	(void)state;
	tpgroup_be(me);
	tpgroup_died(first);
	assert_int_equal(tp_peer("bash", &p), 0);
	assert_true(p.id == first && p.state == TP_PEER_GONE);
	second = tpgroup_add("bash");
	assert_int_equal(tp_peer("bash", &p), 0);
	assert_true(p.id == second && p.state == TP_PEER_RUNNING && !p.satellite);
	assert_string_equal(p.name, "bash");
	tpgroup_died(second);
	assert_int_equal(tp_peer("bash", &p), 0);
	assert_true(p.id == second);
	assert_int_equal(tp_peer("dash", &p), -ENOENT);
	assert_non_null(strstr(tp_why(), "dash"));
	assert_int_equal(tp_peer("", &p), -EINVAL);
	assert_int_equal(tp_peer(NULL, &p), -EINVAL);
	assert_int_equal(tp_peer_by_id(first, &p), 0);
	assert_int_equal(tp_peer_by_id(0, &p), -ENOENT);
	assert_int_equal(tp_peer_by_id(UINT64_MAX, &p), -ENOENT);
	assert_int_equal(tp_peer_by_id(first + (UINT64_C(9) << TP_ID_INDEX_BITS), &p), -ENOENT);
}

static void the_live_are_counted_also_without_room_for_them(void **state)
{
	struct tp_peer_info p[3];

	(void)state;
	tpgroup_be(tpgroup_add("me"));
	tpgroup_add("a");
	tpgroup_died(tpgroup_add("b"));
	tpgroup_add("c");
	memset(p, 0, sizeof(p));
	assert_int_equal(tp_peers(NULL, 0), 3);
	assert_int_equal(tp_peers(p, 2), 3);
	assert_true(p[0].id && p[1].id && !p[2].id);
	assert_int_equal(tp_peers(p, 3), 3);
	assert_true(p[2].id && p[2].id != p[1].id);
}

/* Any program can write there. */
static void a_name_without_end_and_an_entry_of_another_index_do_no_harm(void **state)
{
	struct tp_peer_info p;
	uint64_t id, me = tpgroup_add("me");

	(void)state;
	tpgroup_be(me);
	id = tpgroup_add("x");
	memset(tpi_entry(TP_ID_INDEX(id))->name, 'y', TP_NAME_MAX);
	tpi_entry(TP_ID_INDEX(id))->state = 0xdead;
	assert_int_equal(tp_peer_by_id(id, &p), 0);
	assert_int_equal(strlen(p.name), TP_NAME_MAX - 1);
	assert_int_equal(p.state, TP_PEER_GONE);
	tpi_entry(TP_ID_INDEX(id))->id = id + 1;
	assert_int_equal(tp_peer_by_id(id, &p), -ENOENT);
	segment->registry_used = UINT32_MAX;
	assert_int_equal(tp_peers(NULL, 0), 1);
	segment->registry_used = 0;
}

static void each_kind_of_memory_has_its_owner(void **state)
{
	uint64_t me = tpgroup_add("me"), other = tpgroup_add("other");
	struct tp_owner o;
	char *block;

	(void)state;
	tpgroup_be(me);
	block = tp_malloc(100);
	assert_int_equal(tp_owner_of(block + 50, &o), 0);
	assert_int_equal(o.memory, TP_MEMORY_HEAP);
	assert_true(o.id == me && o.alive && o.block == block && o.size >= 100);
	assert_string_equal(o.name, "me");
	tp_free(block);
	assert_int_equal(tp_owner_of(block, &o), 0);
	assert_int_equal(o.memory, TP_MEMORY_HEAP);
	assert_null(o.block);
	assert_int_equal(tp_owner_of(segment, &o), 0);
	assert_int_equal(o.memory, TP_MEMORY_SEGMENT);
	segment->owner[300] = other;
	assert_int_equal(tp_owner_of((void *)(TP_UNIT_BASE(300) + 5), &o), 0);
	assert_int_equal(o.memory, TP_MEMORY_PRIVATE);
	assert_true(o.id == other && o.alive);
	tpgroup_died(other);
	assert_int_equal(tp_owner_of((void *)(TP_UNIT_BASE(300) + 5), &o), 0);
	assert_true(o.id == other && !o.alive);
	assert_string_equal(o.name, "other");
	assert_int_equal(tp_owner_of(NULL, &o), -EFAULT);
	assert_int_equal(o.memory, TP_MEMORY_NONE);
	assert_int_equal(tp_owner_of((void *)-1, &o), -EFAULT);
	assert_int_equal(tp_owner_of((void *)(TP_UNIT_BASE(TP_UNITS)), &o), -EFAULT);
	segment->owner[300] = UINT64_MAX;
	assert_int_equal(tp_owner_of((void *)TP_UNIT_BASE(300), &o), 0);
	assert_true(!o.alive && !o.name[0]);
	segment->owner[300] = 0;
}

static void what_lies_outside_of_slots_is_found_by_its_record(void **state)
{
	uint64_t other = tpgroup_add("fixed"), me = tpgroup_add("me");
	struct tp_owner o;

	(void)state;
	tpgroup_be(me);
	tpi_entry(TP_ID_INDEX(other))->outside[0] = (struct tp_range){0x400000, 0x1000};
	tpi_entry(TP_ID_INDEX(other))->outside_n = UINT32_MAX;
	assert_int_equal(tp_owner_of((void *)0x400fff, &o), 0);
	assert_string_equal(o.name, "fixed");
	assert_int_equal(o.memory, TP_MEMORY_PRIVATE);
	assert_int_equal(tp_owner_of((void *)0x401000, &o), -EFAULT);
	tpgroup_died(other);
	assert_int_equal(tp_owner_of((void *)0x400fff, &o), -EFAULT);
}

static void a_satellite_is_told_whose_pointer_it_cannot_follow(void **state)
{
	uint64_t other = tpgroup_add("other"), me = tpgroup_add("me");

	(void)state;
	segment->owner[300] = other;
	tpgroup_be(me);
	assert_int_equal(tpi_pointer_ok((void *)TP_UNIT_BASE(300)), 0);
	tpi_self.satellite = 1;
	assert_int_equal(tpi_pointer_ok((void *)TP_UNIT_BASE(300)), -EFAULT);
	assert_non_null(strstr(tp_why(), "private memory of other"));
	assert_int_equal(tpi_pointer_ok(segment), 0);
	assert_int_equal(tpi_pointer_ok((void *)TP_HEAP_BASE), 0);
	assert_int_equal(tpi_pointer_ok(&me), -EFAULT);
	assert_non_null(strstr(tp_why(), "nobody"));
	segment->owner[300] = 0;
}

struct lent {
	uint64_t owner;
	int pipe[2];
};

static int fetch(void *arg)
{
	struct lent *l = arg;
	char got[4] = "";
	int fd = tpi_fds_get(99, l->owner);

	if (fd < 0 || tpi_fds_get(98, l->owner) != -ENXIO ||
		tpi_fds_get(99, l->owner + 1) != -ENXIO)
		return 1;
	return read(fd, got, 3) == 3 && !memcmp(got, "abc", 3) ? 0 : 2;
}

/* This group has no control socket: descriptors go straight from process to process. */
static void a_descriptor_can_be_had_without_the_supervisor(void **state)
{
	uint64_t me = tpgroup_add("me"), reader = tpgroup_add("reader");
	struct lent l = {.owner = me};
	pid_t pid;

	(void)state;
	tpgroup_be(me);
	assert_int_equal(pipe2(l.pipe, O_CLOEXEC), 0);
	assert_int_equal(write(l.pipe[1], "abc", 3), 3);
	assert_int_equal(tpi_fds_put(99, l.pipe[0]), 0);
	pid = tpgroup_fork(reader, fetch, &l);
	assert_int_equal(tpgroup_join(pid, reader), 0);
	tpi_fds_drop(99);
	assert_int_equal(tpi_fds_get(99, me), -ENXIO);
	for (uint64_t key = 1; key <= TP_NOTED_FDS; key++)
		assert_int_equal(tpi_fds_put(key, l.pipe[0]), 0);
	assert_int_equal(tpi_fds_put(100, l.pipe[0]), -ENXIO);
	tpi_fds_drop(3);
	assert_int_equal(tpi_fds_put(100, l.pipe[0]), 0);
	close(l.pipe[0]);
	close(l.pipe[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(outside_a_group_they_say_so),
		cmocka_unit_test_setup_teardown(
			the_live_one_of_a_name_comes_first, open_group, close_group),
		cmocka_unit_test_setup_teardown(
			the_live_are_counted_also_without_room_for_them, open_group, close_group),
		cmocka_unit_test_setup_teardown(
			a_name_without_end_and_an_entry_of_another_index_do_no_harm, open_group,
			close_group),
		cmocka_unit_test_setup_teardown(
			each_kind_of_memory_has_its_owner, open_group, close_group),
		cmocka_unit_test_setup_teardown(
			what_lies_outside_of_slots_is_found_by_its_record, open_group, close_group),
		cmocka_unit_test_setup_teardown(a_satellite_is_told_whose_pointer_it_cannot_follow,
			open_group, close_group),
		cmocka_unit_test_setup_teardown(
			a_descriptor_can_be_had_without_the_supervisor, open_group, close_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
