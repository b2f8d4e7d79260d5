/* SPDX-License-Identifier: MIT */
/* Who is in a group, who is not, and with which versions. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core.h"
#include "fixture.h"
#include <tp/member.h>

static void outside_a_group_calls_say_so(void **state)
{
	tp_id id = 5;

	(void)state;
	assert_int_equal(tp_self(&id), -ENOTCONN);
	assert_int_equal(tp_connected(), -ENOTCONN);
	assert_int_equal(id, 5);
}

static void a_member_knows_itself(void **state)
{
	uint64_t want = tpgroup_add("me");
	tp_id id = 0;

	(void)state;
	tpgroup_be(want);
	assert_int_equal(tp_self(&id), 0);
	assert_true(id == want);
	assert_true(tpi_alive(id));
	assert_true(tpi_tag_id(TP_TAG(id)) == id);
	tpgroup_died(id);
	assert_false(tpi_alive(id));
	assert_false(tpi_tag_alive(TP_TAG(id)));
}

static void a_forked_child_is_nobody(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	tpgroup_be(tpgroup_add("me"));
	pid = fork();
	if (pid == 0)
		_exit(tp_connected() == -ENOTCONN && tpi_self.threads == NULL ? 0 : 1);
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	assert_int_equal(tp_connected(), 0);
}

static void refuse(uint16_t major, uint16_t minor, uint64_t features, const char *say)
{
	struct tp_segment *s = (struct tp_segment *)TP_SEGMENT_BASE;
	struct tp_segment old = *s;

	s->abi_major = major;
	s->abi_minor = minor;
	s->features = features;
	assert_int_equal(tpi_connect(s, tpgroup_add("me")), -EPROTO);
	assert_non_null(strstr(tp_why(), say));
	s->abi_major = old.abi_major;
	s->abi_minor = old.abi_minor;
	s->features = old.features;
}

static void other_versions_are_named(void **state)
{
	(void)state;
	tpi_disconnect();
	refuse(7, 3, ~UINT64_C(0), "version 7.3 of the ABI, this program 0.1");
	refuse(0, 0, ~UINT64_C(0), "version 0.0 of the ABI, this program needs 0.1");
	refuse(0, 1, 0, "lacks features 0x1");
}

/* A group of a later minor version takes this program. */
static void a_newer_group_takes_it(void **state)
{
	struct tp_segment *s = (struct tp_segment *)TP_SEGMENT_BASE;

	(void)state;
	tpi_disconnect();
	s->abi_minor = TP_ABI_MINOR + 5;
	s->features |= UINT64_C(1) << 40;
	assert_int_equal(tpi_connect(s, tpgroup_add("me")), 0);
	s->abi_minor = TP_ABI_MINOR;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(outside_a_group_calls_say_so),
		cmocka_unit_test(a_member_knows_itself),
		cmocka_unit_test(a_forked_child_is_nobody),
		cmocka_unit_test(other_versions_are_named),
		cmocka_unit_test(a_newer_group_takes_it),
	};

	return cmocka_run_group_tests(tests, open_group, close_group);
}
