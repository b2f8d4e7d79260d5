/* SPDX-License-Identifier: MIT */
/* What clients may send, and every way of getting it wrong. */
#include <stdlib.h>
#include <string.h>

#include "supervise/wirecheck.h"
#include "unit.h"

static struct tp_wire_launch good_launch(void)
{
	struct tp_wire_launch m = {
		.head = {TP_WIRE_MAGIC, TP_WIRE_VERSION, TP_WIRE_LAUNCH, sizeof(m), 1},
		.argc = 2,
		.envc = 1,
		.nfds = 2,
	};

	m.blob_len = 2 * sizeof(int32_t) + sizeof("ls\0-l\0A=b");
	return m;
}

static const char *check_launch(const struct tp_wire_launch *m, uint32_t nfds)
{
	return tp_wire_check(m, sizeof(*m), nfds);
}

static void a_good_launch_passes(void **state)
{
	struct tp_wire_launch m = good_launch();

	(void)state;
	assert_null(check_launch(&m, 4));
	m.flags = TP_WIRE_ROOT | TP_WIRE_MORE | TP_WIRE_LINGER;
	assert_null(check_launch(&m, 5));
}

static void every_wrong_head_is_refused(void **state)
{
	struct tp_wire_launch m = good_launch();

	(void)state;
	assert_non_null(tp_wire_check(&m, 0, 0));
	assert_non_null(tp_wire_check(&m, sizeof(struct tp_wire_head) - 1, 0));
	assert_non_null(tp_wire_check(&m, sizeof(m) - 1, 4));
	assert_non_null(tp_wire_check(&m, sizeof(m) + 8, 4));
	m.head.magic++;
	assert_non_null(check_launch(&m, 4));
	m = good_launch();
	m.head.version++;
	assert_non_null(check_launch(&m, 4));
	m = good_launch();
	m.head.type = 77;
	assert_non_null(check_launch(&m, 4));
	m.head.type = TP_WIRE_OK;
	assert_non_null(check_launch(&m, 4));
}

static void missing_and_surplus_descriptors_are_refused(void **state)
{
	struct tp_wire_launch m = good_launch();
	struct tp_wire_head ps = {TP_WIRE_MAGIC, TP_WIRE_VERSION, TP_WIRE_PS, sizeof(ps), 1};
	struct tp_wire_head fds = {TP_WIRE_MAGIC, TP_WIRE_VERSION, TP_WIRE_FDS, sizeof(fds), 1};

	(void)state;
	assert_non_null(check_launch(&m, 0));
	assert_non_null(check_launch(&m, 3));
	assert_non_null(check_launch(&m, 5));
	m.nfds = 1000;
	m.blob_len += 998 * sizeof(int32_t);
	assert_non_null(check_launch(&m, 100));
	assert_null(check_launch(&m, TP_WIRE_FDS_BATCH));
	assert_null(tp_wire_check(&ps, sizeof(ps), 0));
	assert_non_null(tp_wire_check(&ps, sizeof(ps), 1));
	assert_non_null(tp_wire_check(&fds, sizeof(fds), 0));
}

static void counts_that_overflow_are_refused(void **state)
{
	struct tp_wire_launch m = good_launch();

	(void)state;
	m.argc = 0;
	assert_non_null(check_launch(&m, 4));
	m = good_launch();
	m.argc = m.envc = UINT32_MAX;
	assert_non_null(check_launch(&m, 4));
	m = good_launch();
	m.nfds = UINT32_MAX;
	assert_non_null(check_launch(&m, TP_WIRE_FDS_BATCH));
	m = good_launch();
	m.blob_len = UINT32_MAX;
	assert_non_null(check_launch(&m, 4));
	m = good_launch();
	m.flags = 0x8000;
	assert_non_null(check_launch(&m, 4));
	m = good_launch();
	m.pgid = -1;
	assert_non_null(check_launch(&m, 4));
	m = good_launch();
	memset(m.name, 'x', sizeof(m.name));
	assert_non_null(check_launch(&m, 4));
}

static void a_stop_without_end_is_refused(void **state)
{
	struct tp_wire_stop m = {
		.head = {TP_WIRE_MAGIC, TP_WIRE_VERSION, TP_WIRE_STOP, sizeof(m), 1}};

	(void)state;
	assert_null(tp_wire_check(&m, sizeof(m), 0));
	memset(m.name, 'x', sizeof(m.name));
	assert_non_null(tp_wire_check(&m, sizeof(m), 0));
}

/* Two descriptors, then "ls" "-l", then "A=b". */
struct blob {
	_Alignas(8) int32_t targets[2];
	char strings[sizeof("ls\0-l\0A=b") + 1]; /* and the NUL that the reader adds */
};

static struct blob good_blob(void)
{
	struct blob b = {.targets = {0, 7}, .strings = "ls\0-l\0A=b"};

	return b;
}

static const char *split(
	const struct tp_wire_launch *m, const struct blob *b, struct tp_wire_strings *ret)
{
	return tp_wire_split(m, (const char *)b, ret);
}

static void a_good_blob_is_split(void **state)
{
	struct tp_wire_launch m = good_launch();
	struct blob b = good_blob();
	struct tp_wire_strings s;

	(void)state;
	assert_null(split(&m, &b, &s));
	assert_int_equal(s.targets[1], 7);
	assert_string_equal(s.argv[0], "ls");
	assert_string_equal(s.argv[1], "-l");
	assert_null(s.argv[2]);
	assert_string_equal(s.envp[0], "A=b");
	assert_null(s.envp[1]);
	free(s.argv);
}

static void strings_that_do_not_fill_the_blob_are_refused(void **state)
{
	struct tp_wire_launch m = good_launch();
	struct blob b = good_blob();
	struct tp_wire_strings s;

	(void)state;
	m.blob_len--;
	assert_non_null(split(&m, &b, &s));
	m = good_launch();
	m.envc++;
	assert_non_null(split(&m, &b, &s));
	m = good_launch();
	m.argc--;
	assert_non_null(split(&m, &b, &s));
	m = good_launch();
	b.strings[sizeof("ls\0-l\0A=b") - 1] = 'x';
	assert_non_null(split(&m, &b, &s));
}

static void descriptor_numbers_must_ascend(void **state)
{
	struct tp_wire_launch m = good_launch();
	struct blob b = good_blob();
	struct tp_wire_strings s;

	(void)state;
	b.targets[0] = 7;
	assert_non_null(split(&m, &b, &s));
	b.targets[0] = -1;
	assert_non_null(split(&m, &b, &s));
	b.targets[0] = 0;
	b.targets[1] = INT32_MAX;
	assert_non_null(split(&m, &b, &s));
}

static const char *check_key(unsigned type, uint32_t nfds)
{
	struct tp_wire_key m = {.head = {TP_WIRE_MAGIC, TP_WIRE_VERSION, (uint16_t)type, sizeof(m), 1}};

	return tp_wire_check(&m, sizeof(m), nfds);
}

static void a_kept_descriptor_comes_alone(void **state)
{
	(void)state;
	assert_null(check_key(TP_WIRE_FD_PUT, 1));
	assert_null(check_key(TP_WIRE_WATCH, 1));
	assert_null(check_key(TP_WIRE_FD_GET, 0));
	assert_null(check_key(TP_WIRE_FD_DROP, 0));
	assert_non_null(check_key(TP_WIRE_FD_PUT, 0));
	assert_non_null(check_key(TP_WIRE_WATCH, 2));
	assert_non_null(check_key(TP_WIRE_FD_GET, 1));
	assert_non_null(check_key(TP_WIRE_FD_DROP, 1));
	assert_non_null(check_key(TP_WIRE_LOOK, 0)); /* another length */
	assert_non_null(check_key(TP_WIRE_DETACH, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_launch_passes),
		cmocka_unit_test(every_wrong_head_is_refused),
		cmocka_unit_test(missing_and_surplus_descriptors_are_refused),
		cmocka_unit_test(counts_that_overflow_are_refused),
		cmocka_unit_test(a_stop_without_end_is_refused),
		cmocka_unit_test(a_good_blob_is_split),
		cmocka_unit_test(strings_that_do_not_fill_the_blob_are_refused),
		cmocka_unit_test(descriptor_numbers_must_ascend),
		cmocka_unit_test(a_kept_descriptor_comes_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
