/* SPDX-License-Identifier: MIT */
/* Programs: ids that never come back, look-ups, entries that stay readable as long as they can. */
#include "fakegroup.h"
#include "unit.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static void die(struct tp_prog *p)
{
	tp_registry_died(p, TP_PROGRAM_DEAD);
	tp_registry_release(p);
}

static void a_program_is_found_by_all_its_names(void **state)
{
	struct tp_prog *p = add_prog("bash", 1234), *q = add_prog("bash", 1234 + 4096);

	(void)state;
	assert_ptr_equal(tp_registry_by_pid(&group, 1234), p);
	assert_ptr_equal(tp_registry_by_pid(&group, 1234 + 4096), q);
	assert_ptr_equal(tp_registry_by_id(&group, q->id), q);
	assert_ptr_equal(tp_registry_by_name(&group, "bash"), p);
	assert_ptr_equal(tp_registry_by_name(&group, "bash.2"), q);
	assert_ptr_equal(tp_registry_by_name(&group, "1234"), p);
	assert_null(tp_registry_by_name(&group, "1234x"));
	assert_null(tp_registry_by_name(&group, ""));
	assert_null(tp_registry_by_name(&group, "-1234"));
	assert_int_equal(group.nlive, 2);
}

static void the_dead_are_not_found(void **state)
{
	struct tp_prog *p = add_prog("bash", 1234);
	uint64_t id = p->id;

	(void)state;
	tp_registry_died(p, TP_PROGRAM_DEAD);
	assert_null(tp_registry_by_pid(&group, 1234));
	assert_ptr_equal(tp_registry_by_id(&group, id), p);	/* it still holds memory */
	tp_registry_release(p);
	assert_null(tp_registry_by_id(&group, id));
	assert_null(tp_registry_by_name(&group, "bash"));
	assert_int_equal(group.nlive, 0);
}

static void an_absurd_id_is_nobody(void **state)
{
	struct tp_prog *p = add_prog("x", 1);

	(void)state;
	assert_null(tp_registry_by_id(&group, 0));
	assert_null(tp_registry_by_id(&group, UINT64_MAX));
	assert_null(tp_registry_by_id(&group, p->id ^ (UINT64_C(1) << 40)));
	assert_null(tp_registry_by_id(&group, p->id | 0xf000));
}

static void an_entry_is_reused_last_and_with_another_id(void **state)
{
	struct tp_prog *p = add_prog("first", 1);
	uint32_t index = p->index, n = 0;
	uint64_t id = p->id;

	(void)state;
	die(p);
	assert_int_equal(entry_of(p)->state, TP_PROGRAM_DEAD);
	assert_true(entry_of(p)->id == id);
	do {
		p = tp_registry_add(&group, "next");
		assert_non_null(p);
		assert_true(p->id != id);
		n++;
		if (p->index != index)
			die(p);
	} while (p->index != index);
	assert_int_equal(n, TP_REGISTRY_MAX);
}

static void a_full_table_says_so(void **state)
{
	(void)state;
	for (int i = 0; i < TP_REGISTRY_MAX; i++)
		assert_non_null(tp_registry_add(&group, "many"));
	assert_null(tp_registry_add(&group, "one more"));
	die(LIST_FIRST(&group.live));
	assert_non_null(tp_registry_add(&group, "now"));
}

static void an_entry_is_clean_when_it_is_given_out_again(void **state)
{
	struct tp_prog *p = add_prog("first", 1);

	(void)state;
	memset(entry_of(p), 0xff, sizeof(struct tp_program));
	tp_registry_publish(p);
	assert_int_equal(entry_of(p)->outside_n, 0);
	assert_int_equal(entry_of(p)->started, 0);
	assert_int_equal(entry_of(p)->events, 0);
	assert_true(entry_of(p)->outside[TP_OUTSIDE_MAX - 1].len == 0);
	assert_string_equal(entry_of(p)->name, "first");
}

static void a_satellite_is_no_program(void **state)
{
	struct tp_prog *bash = add_prog("bash", 1234), *s = tp_registry_add_satellite(&group, "bash");
	uint32_t deaths = group.seg.at->deaths[3], arrivals = group.seg.at->arrivals;

	(void)state;
	s->pid = 77;
	tp_registry_publish(s);
	tp_registry_arrived(&group);
	assert_string_equal(entry_of(s)->name, "bash.2");
	assert_int_equal(entry_of(s)->kind, TP_KIND_SATELLITE);
	assert_int_equal(entry_of(s)->state, TP_PROGRAM_RUNNING);
	assert_int_equal(entry_of(s)->pid, 77);
	assert_int_equal(group.nlive, 1);
	assert_null(tp_registry_by_pid(&group, 77));
	assert_int_equal(group.seg.at->arrivals, arrivals + 1);
	die(s);
	assert_int_equal(group.seg.at->deaths[3], deaths + 1);
	assert_int_equal(entry_of(s)->state, TP_PROGRAM_DEAD);
	assert_int_equal(group.nlive, 1);
	assert_ptr_equal(tp_registry_by_pid(&group, 1234), bash);
	assert_true(LIST_EMPTY(&group.satellites));
}

static void satellites_fill_the_table_as_well(void **state)
{
	(void)state;
	for (int i = 0; i < TP_REGISTRY_MAX; i++)
		assert_non_null(tp_registry_add_satellite(&group, "many"));
	assert_null(tp_registry_add_satellite(&group, "one more"));
	assert_null(tp_registry_add(&group, "a program"));
	die(LIST_FIRST(&group.satellites));
	assert_non_null(tp_registry_add(&group, "a program"));
}

/* Behind registry_used nobody looks. */
static void entries_are_used_from_the_first_on(void **state)
{
	uint32_t used = 0;

	(void)state;
	for (int i = 0; i < 10; i++) {
		struct tp_prog *p = add_prog("x", 100 + i);

		assert_true(group.seg.at->registry_used > p->index);
		assert_true(group.seg.at->registry_used >= used);
		used = group.seg.at->registry_used;
		if (i % 2)
			die(p);
	}
	assert_int_equal(used, 10);
}

/* The whole entry of the one that was there, or of the one that comes, or the id of nobody. */
static bool belongs_together(const struct tp_program *e, uint64_t before, uint64_t after)
{
	const uint8_t last = e->reserved[sizeof(e->reserved) - 1];

	if (e->id == before)
		return e->state == TP_PROGRAM_DEAD && !strcmp(e->name, "before") && e->outside_n == 9 && last == 0xaa;
	if (e->id == after)
		return e->state == TP_PROGRAM_STARTING && !strcmp(e->name, "after") && e->outside_n == 0 && last == 0;
	return e->id == 0;
}

static pid_t publish_under_trace(struct tp_prog *p)
{
	pid_t pid = fork();

	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		tp_registry_publish(p);
		_exit(0);
	}
	assert_true(pid > 0);
	return pid;
}

/* Looked at after each instruction of the supervisor. */
static void an_entry_changes_hands_in_one_piece(void **state)
{
	static char name[TP_NAME_MAX] = "after";
	struct tp_prog *p = add_prog("before", 1), next = *p;
	struct tp_program *e = entry_of(p);
	uint64_t before = p->id;
	unsigned steps = 0;
	int status;
	pid_t pid;

	(void)state;
	e->outside_n = 9;
	e->reserved[sizeof(e->reserved) - 1] = 0xaa;
	tp_registry_died(p, TP_PROGRAM_DEAD);
	next.id = before + ((uint64_t)TP_REGISTRY_MAX << TP_ID_INDEX_BITS);
	next.name = name;
	next.state = TP_PROGRAM_STARTING;
	pid = publish_under_trace(&next);
	for (waitpid(pid, &status, 0); WIFSTOPPED(status); waitpid(pid, &status, 0)) {
		assert_true(belongs_together(e, before, next.id));
		assert_int_equal(ptrace(PTRACE_SINGLESTEP, pid, 0, 0), 0);
		steps++;
	}
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_true(e->id == next.id && steps > 20);
	tp_registry_release(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_program_is_found_by_all_its_names, open_group, close_group),
		cmocka_unit_test_setup_teardown(the_dead_are_not_found, open_group, close_group),
		cmocka_unit_test_setup_teardown(an_absurd_id_is_nobody, open_group, close_group),
		cmocka_unit_test_setup_teardown(
			an_entry_is_reused_last_and_with_another_id, open_group, close_group),
		cmocka_unit_test_setup_teardown(a_full_table_says_so, open_group, close_group),
		cmocka_unit_test_setup_teardown(
			an_entry_is_clean_when_it_is_given_out_again, open_group, close_group),
		cmocka_unit_test_setup_teardown(a_satellite_is_no_program, open_group, close_group),
		cmocka_unit_test_setup_teardown(satellites_fill_the_table_as_well, open_group, close_group),
		cmocka_unit_test_setup_teardown(entries_are_used_from_the_first_on, open_group, close_group),
		cmocka_unit_test_setup_teardown(an_entry_changes_hands_in_one_piece, open_group, close_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
