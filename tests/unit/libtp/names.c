/* SPDX-License-Identifier: MIT */
/* Names, one program at a time: what each call answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core.h"
#include "names.h"
#include "tpgroup.h"
#include <tp/name.h>

static uint64_t me;
static char *heap; /* memory that everybody reaches; nobody allocates here */

static int open_group(void **state)
{
	(void)state;
	tpgroup_open(64 << 20);
	me = tpgroup_add("me");
	tpgroup_be(me);
	heap = (char *)TP_HEAP_BASE;
	return 0;
}

static int close_group(void **state)
{
	(void)state;
	tpgroup_close();
	return 0;
}

static void a_name_is_found(void **state)
{
	struct tp_name n = {.ptr = NULL};

	(void)state;
	assert_int_equal(tp_lookup("book", "order", &n), -ENOENT);
	assert_non_null(strstr(tp_why(), "book"));
	assert_int_equal(tp_publish("book", heap + 64, "order", 0), 0);
	assert_int_equal(tp_lookup("book", "order", &n), 0);
	assert_ptr_equal(n.ptr, heap + 64);
	assert_true(n.owner == me && n.alive && !n.flags && n.generation);
	assert_string_equal(n.name, "book");
	assert_string_equal(n.type, "order");
	assert_int_equal(tp_name_check(&n), 0);
	assert_int_equal(tp_lookup("boo", "order", &n), -ENOENT);
	assert_int_equal(tp_lookup("bookk", NULL, &n), -ENOENT);
	assert_int_equal(tp_unpublish("book", "order"), 0);
	assert_int_equal(tp_name_check(&n), -ESTALE);
	assert_int_equal(tp_lookup("book", "order", &n), -ENOENT);
	assert_int_equal(tp_unpublish("book", "order"), -ENOENT);
}

static void a_name_is_replaced_only_when_asked(void **state)
{
	struct tp_name old, n;

	(void)state;
	assert_int_equal(tp_publish("r", heap, "t", 0), 0);
	assert_int_equal(tp_lookup("r", "t", &old), 0);
	assert_int_equal(tp_publish("r", heap + 8, "t", 0), -EEXIST);
	assert_non_null(strstr(tp_why(), "TP_PUBLISH_REPLACE"));
	assert_int_equal(tp_name_check(&old), 0);
	assert_int_equal(tp_publish("r", heap + 8, "t", TP_PUBLISH_REPLACE), 0);
	assert_int_equal(tp_name_check(&old), -ESTALE);
	assert_int_equal(tp_lookup("r", "t", &n), 0);
	assert_true(n.generation > old.generation && n.ptr == heap + 8);
	assert_int_equal(tp_unpublish("r", NULL), 0);
}

/* A generation is never given out twice, not even after the name was gone. */
static void generations_only_grow(void **state)
{
	uint64_t last = 0;

	(void)state;
	for (int i = 0; i < 100; i++) {
		struct tp_name n;

		assert_int_equal(tp_publish("g", heap, "t", i % 3 ? TP_PUBLISH_REPLACE : 0), 0);
		assert_int_equal(tp_lookup("g", "t", &n), 0);
		assert_true(n.generation > last);
		last = n.generation;
		if (i % 3 == 2)
			assert_int_equal(tp_unpublish("g", "t"), 0);
	}
	assert_int_equal(tp_unpublish("g", "t"), 0);
}

static void types_stand_side_by_side(void **state)
{
	struct tp_name n;

	(void)state;
	assert_int_equal(tp_publish("s", heap + 1, "order@1", 0), 0);
	assert_int_equal(tp_publish("s", heap + 2, "order@2", 0), 0);
	assert_int_equal(tp_lookup("s", "order@1", &n), 0);
	assert_ptr_equal(n.ptr, heap + 1);
	assert_int_equal(tp_lookup("s", "order@2", &n), 0);
	assert_ptr_equal(n.ptr, heap + 2);
	assert_int_equal(tp_lookup("s", NULL, &n), 0);
	assert_string_equal(n.type, "order@2");
	assert_int_equal(tp_publish("s", heap + 3, "order@1", TP_PUBLISH_REPLACE), 0);
	assert_int_equal(tp_lookup("s", NULL, &n), 0);
	assert_string_equal(n.type, "order@1");
	assert_int_equal(tp_lookup("s", "order@3", &n), -EPROTOTYPE);
	assert_non_null(strstr(tp_why(), "order@3"));
	assert_true(strstr(tp_why(), "order@1") || strstr(tp_why(), "order@2"));
	assert_int_equal(tp_unpublish("s", "order@1"), 0);
	assert_int_equal(tp_lookup("s", "order@2", &n), 0);
	assert_int_equal(tp_publish("s", heap + 3, "order@1", 0), 0);
	assert_int_equal(tp_unpublish("s", NULL), 0);
	assert_int_equal(tp_lookup("s", NULL, &n), -ENOENT);
}

static void one_name_has_so_many_types(void **state)
{
	char type[16];
	struct tp_name n;
	unsigned i;
	int r = 0;

	(void)state;
	for (i = 0; r == 0; i++) {
		snprintf(type, sizeof(type), "t%u", i);
		r = tp_publish("many", heap + i, type, 0);
	}
	assert_int_equal(r, -ENOSPC);
	assert_non_null(strstr(tp_why(), "as many types"));
	assert_true(i - 1 <= TP_NAMES_CHAIN_MAX && i > TP_NAMES_CHAIN_MAX / 2);
	assert_int_equal(tp_unpublish("many", "t7"), 0);
	for (unsigned k = 0; k < i - 1; k++) {
		snprintf(type, sizeof(type), "t%u", k);
		assert_int_equal(tp_lookup("many", type, &n), k == 7 ? -EPROTOTYPE : 0);
	}
	assert_int_equal(tp_publish("many", heap, "t7", 0), 0);
	assert_int_equal(tp_unpublish("many", NULL), 0);
}

static void bad_names_are_refused(void **state)
{
	char longest[65];
	struct tp_name n;

	(void)state;
	memset(longest, 'x', 64);
	longest[64] = '\0';
	assert_int_equal(tp_publish(NULL, heap, "t", 0), -EINVAL);
	assert_int_equal(tp_publish("n", heap, NULL, 0), -EINVAL);
	assert_int_equal(tp_publish("", heap, "t", 0), -EINVAL);
	assert_int_equal(tp_publish("n", heap, "", 0), -EINVAL);
	assert_int_equal(tp_publish(longest, heap, "t", 0), -EINVAL);
	assert_non_null(strstr(tp_why(), "63"));
	assert_int_equal(tp_publish("n", heap, longest, 0), -EINVAL);
	assert_int_equal(tp_publish("a\nb", heap, "t", 0), -EINVAL);
	assert_int_equal(tp_publish("a\x7f", heap, "t", 0), -EINVAL);
	assert_int_equal(tp_publish("n", heap, "\x1b[1m", 0), -EINVAL);
	assert_int_equal(tp_publish("n", heap, "t", 0x80), -EINVAL);
	assert_int_equal(tp_lookup("a\tb", "t", &n), -EINVAL);
	assert_int_equal(tp_wait("", "t", 0, &n), -EINVAL);
	assert_int_equal(tp_unpublish("", NULL), -EINVAL);
	assert_int_equal(tp_publish(longest + 1, heap, longest + 1, 0), 0);
	assert_int_equal(tp_lookup(longest + 1, longest + 1, &n), 0);
	assert_int_equal(strlen(n.name), 63);
	assert_int_equal(strlen(n.type), 63);
	assert_int_equal(tp_publish("Gr\xc3\xb6\xc3\x9f" "e", heap, "t", 0), 0);
	assert_int_equal(tp_unpublish("Gr\xc3\xb6\xc3\x9f" "e", "t"), 0);
	assert_int_equal(tp_unpublish(longest + 1, NULL), 0);
}

/* Refused by those who publish and by those who look up, as a name and as a type. */
static void refused(const char *text, const char *why)
{
	struct tp_name n;

	assert_int_equal(tp_publish(text, heap, "t", 0), -EINVAL);
	assert_non_null(strstr(tp_why(), why));
	assert_int_equal(tp_publish("n", heap, text, 0), -EINVAL);
	assert_non_null(strstr(tp_why(), why));
	assert_int_equal(tp_lookup(text, "t", &n), -EINVAL);
	assert_non_null(strstr(tp_why(), why));
	assert_int_equal(tp_wait(text, "t", TP_SECOND, &n), -EINVAL);
	assert_int_equal(tp_unpublish(text, NULL), -EINVAL);
}

static void text_that_is_not_utf8_is_refused(void **state)
{
	static const char *const bad[] = {"\x80", "a\xbf", "\xc3", "name\xc3", "\xc3(", "\xc0\xaf", "\xc1\xbf", "\xe0\x80\xaf", "\xe0\x9f\xbf",
		"\xe2\x82", "\xe2\x82 ", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x80\x80\xaf", "\xf0\x8f\xbf\xbf", "\xf0\x9f\x98",
		"\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "1234567\xe2", "\x9b-"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		refused(bad[i], "UTF-8");
}

static void control_characters_beyond_ascii_are_refused(void **state)
{
	(void)state;
	refused("\xc2\x80", "control");
	refused("a\xc2\x9b" "31m", "control");
	refused("\xc3\xb6\xc2\x9f", "control");
	refused("\xc3\xb6\x1b", "control");
	refused("\xc3\xb6\x7f", "control");
}

static void every_other_character_is_taken(void **state)
{
	static const char *const good[] = {"\xc2\xa0", "\xdf\xbf", "\xe0\xa0\x80", "\xe2\x82\xac", "\xed\x9f\xbf", "\xee\x80\x80", "\xef\xbf\xbf",
		"\xf0\x90\x80\x80", "1234567\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf", " ", "~"};
	struct tp_name n;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_int_equal(tp_publish(good[i], heap + i, good[i], 0), 0);
		assert_int_equal(tp_lookup(good[i], good[i], &n), 0);
		assert_true(n.ptr == heap + i && !strcmp(n.name, good[i]) && !strcmp(n.type, good[i]));
		assert_int_equal(tp_unpublish(good[i], NULL), 0);
	}
}

static void pointers_of_nobody_are_refused(void **state)
{
	struct tp_segment *s = (struct tp_segment *)TP_SEGMENT_BASE;
	char *slot = (char *)TP_UNIT_BASE(0x400);

	(void)state;
	assert_int_equal(tp_publish("p", NULL, "t", 0), -EFAULT);
	assert_int_equal(tp_publish("p", slot, "t", 0), -EFAULT);
	assert_int_equal(tp_publish("p", (void *)~UINT64_C(0), "t", 0), -EFAULT);
	s->owner[0x400] = me;
	assert_int_equal(tp_publish("p", slot, "t", TP_PUBLISH_KEEP), -EFAULT);
	assert_int_equal(tp_publish("p", slot, "t", 0), 0);
	assert_int_equal(tp_unpublish("p", "t"), 0);
	s->owner[0x400] = 0;
}

/* A satellite finds the name, and is told whose memory it cannot reach. */
static void a_satellite_is_refused_foreign_memory(void **state)
{
	struct tp_segment *s = (struct tp_segment *)TP_SEGMENT_BASE;
	struct tp_name n = {.ptr = heap};

	(void)state;
	s->owner[0x400] = me;
	assert_int_equal(tp_publish("slot", (char *)TP_UNIT_BASE(0x400) + 8, "t", 0), 0);
	assert_int_equal(tp_publish("heap", heap, "t", 0), 0);
	tpi_self.satellite = 1;
	assert_int_equal(tp_lookup("slot", "t", &n), -EFAULT);
	assert_null(n.ptr);
	assert_true(n.owner == me);
	assert_non_null(strstr(tp_why(), "me's own memory"));
	assert_int_equal(tp_lookup("heap", "t", &n), 0);
	assert_int_equal(tp_publish("mine", &n, "t", 0), -EFAULT);
	tpi_self.satellite = 0;
	assert_int_equal(tp_unpublish("slot", "t"), 0);
	assert_int_equal(tp_unpublish("heap", "t"), 0);
	s->owner[0x400] = 0;
}

static void a_death_flips_all_names(void **state)
{
	uint64_t first = tpgroup_add("first");
	struct tp_name n, kept;

	(void)state;
	tpgroup_be(first);
	assert_int_equal(tp_publish("d1", heap, "t", 0), 0);
	assert_int_equal(tp_publish("d2", heap, "t", TP_PUBLISH_KEEP), 0);
	tpgroup_be(me);
	assert_int_equal(tp_publish("d1", heap, "t", TP_PUBLISH_REPLACE), -EEXIST);
	assert_non_null(strstr(tp_why(), "first"));
	assert_int_equal(tp_unpublish("d1", "t"), -EPERM);
	assert_int_equal(tp_lookup("d1", "t", &n), 0);
	assert_int_equal(tp_lookup("d2", "t", &kept), 0);
	tpgroup_died(first);
	assert_int_equal(tp_name_check(&n), -EOWNERDEAD);
	assert_int_equal(tp_name_check(&kept), 0);
	assert_int_equal(tp_lookup("d1", "t", &n), -EOWNERDEAD);
	assert_true(n.owner == first && !n.alive);
	assert_int_equal(tp_lookup("d2", "t", &kept), 0);
	assert_true(!kept.alive && kept.flags == TP_PUBLISH_KEEP);
	assert_int_equal(tp_wait("d1", "t", 1000000, &n), -ETIMEDOUT);
	assert_int_equal(tp_publish("d1", heap + 5, "t", 0), 0);
	assert_int_equal(tp_lookup("d1", NULL, &n), 0);
	assert_true(n.owner == me && n.ptr == heap + 5);
	assert_int_equal(tp_unpublish("d1", NULL), 0);
	assert_int_equal(tp_unpublish("d2", NULL), 0);
}

/* Of any type: the youngest that lives, then one that is kept, then the dead. */
static void any_type_prefers_the_living(void **state)
{
	uint64_t other = tpgroup_add("other");
	struct tp_name n;

	(void)state;
	assert_int_equal(tp_publish("a", heap, "old", 0), 0);
	tpgroup_be(other);
	assert_int_equal(tp_publish("a", heap, "kept", TP_PUBLISH_KEEP), 0);
	assert_int_equal(tp_publish("a", heap, "new", 0), 0);
	tpgroup_be(me);
	assert_int_equal(tp_lookup("a", NULL, &n), 0);
	assert_string_equal(n.type, "new");
	tpgroup_died(other);
	assert_int_equal(tp_lookup("a", NULL, &n), 0);
	assert_string_equal(n.type, "old");
	assert_int_equal(tp_unpublish("a", "old"), 0);
	assert_int_equal(tp_lookup("a", NULL, &n), 0);
	assert_string_equal(n.type, "kept");
	assert_int_equal(tp_unpublish("a", "kept"), 0);
	assert_int_equal(tp_lookup("a", NULL, &n), -EOWNERDEAD);
	assert_string_equal(n.type, "new");
	assert_int_equal(tp_unpublish("a", NULL), 0);
}

static void listing_shows_each_once(void **state)
{
	struct tp_name_cursor c = {.at = 0};
	unsigned seen[500] = {0}, n = 0;
	struct tp_name name;
	char text[16];

	(void)state;
	for (unsigned i = 0; i < 500; i++) {
		snprintf(text, sizeof(text), "list.%u", i / 2);
		assert_int_equal(tp_publish(text, heap + i, i % 2 ? "odd" : "even", 0), 0);
	}
	while (tp_name_next(&c, &name) == 1) {
		unsigned i;

		assert_int_equal(sscanf(name.name, "list.%u", &i), 1);
		i = 2 * i + !strcmp(name.type, "odd");
		assert_true(i < 500);
		assert_ptr_equal(name.ptr, heap + i);
		assert_true(name.alive && name.owner == me);
		seen[i]++;
		n++;
		assert_int_equal(tp_name_check(&name), 0);
	}
	assert_int_equal(n, 500);
	for (unsigned i = 0; i < 500; i++)
		assert_int_equal(seen[i], 1);
	for (unsigned i = 0; i < 250; i++) {
		snprintf(text, sizeof(text), "list.%u", i);
		assert_int_equal(tp_unpublish(text, NULL), 0);
	}
	c = (struct tp_name_cursor){.at = 0};
	assert_int_equal(tp_name_next(&c, &name), 0);
}

static struct tp_names_bucket *bucket_of(const char *name)
{
	struct tpi_name_key key;

	assert_int_equal(tpi_name_key(name, NULL, &key), 0);
	return &tpi_names()->bucket[tpi_key_bucket(&key)];
}

static bool first_is_good(const struct tp_names_bucket *b)
{
	return !(b->first & TP_NAMES_BUSY) && b->first >> 20 == b->head >> 20;
}

static void what_is_short_stands_in_the_bucket(void **state)
{
	struct tp_names_bucket *b = bucket_of("first");
	struct tp_name n;

	(void)state;
	assert_int_equal(tp_publish("first", heap + 1, "t", TP_PUBLISH_KEEP), 0);
	assert_true(first_is_good(b) && b->ptr == (uintptr_t)(heap + 1));
	/* It is what a look-up reads: an entry that cannot be is not noticed. */
	tpi_names()->entry[TP_NAMES_HEAD_INDEX(b->head)].hash++;
	assert_int_equal(tp_lookup("first", "t", &n), 0);
	assert_true(n.ptr == heap + 1 && n.flags == TP_PUBLISH_KEEP && n.alive && n.generation == b->head >> 20);
	tpi_names()->entry[TP_NAMES_HEAD_INDEX(b->head)].hash--;
	assert_int_equal(tp_name_check(&n), 0);
	assert_int_equal(tp_lookup("first", "another", &n), -EPROTOTYPE);
	assert_int_equal(tp_unpublish("first", "t"), 0);
	assert_int_equal(tp_lookup("first", "t", &n), -ENOENT);
}

static void what_is_longer_is_found_in_the_chain(void **state)
{
	const char *longer = "a name of twenty-five, or";
	struct tp_names_bucket *b = bucket_of(longer);
	struct tp_name n;

	(void)state;
	assert_int_equal(tp_publish(longer, heap + 2, "t", 0), 0);
	assert_false(first_is_good(b));
	assert_int_equal(tp_lookup(longer, "t", &n), 0);
	assert_ptr_equal(n.ptr, heap + 2);
	assert_int_equal(tp_unpublish(longer, "t"), 0);
}

/* Of another change than the head's, or being written: nobody believes it. */
static void an_old_first_is_not_believed(void **state)
{
	struct tp_names_bucket *b = bucket_of("old");
	struct tp_name n;
	uint64_t good;

	(void)state;
	assert_int_equal(tp_publish("old", heap + 1, "older", 0), 0);
	assert_int_equal(tp_publish("old", heap + 3, "t", 0), 0);
	good = b->first;
	b->ptr++;
	b->first = TP_NAMES_FIRST(TP_NAMES_HEAD_CHANGES(b->head) - 1, 0);
	assert_int_equal(tp_lookup("old", "t", &n), 0);
	assert_ptr_equal(n.ptr, heap + 3);
	b->first = good | TP_NAMES_BUSY;
	assert_int_equal(tp_lookup("old", "t", &n), 0);
	assert_ptr_equal(n.ptr, heap + 3);
	assert_int_equal(tp_unpublish("old", "older"), 0);
	assert_false(first_is_good(b));
	assert_int_equal(tp_name_check(&n), 0);
	assert_int_equal(tp_lookup("old", "t", &n), 0);
	assert_ptr_equal(n.ptr, heap + 3);
	assert_int_equal(tp_unpublish("old", NULL), 0);
}

/* Whoever writes there is left alone while it lives; its successor goes on. */
static void a_first_that_is_written_is_left_alone(void **state)
{
	struct tp_names_bucket *b = bucket_of("busy");
	uint64_t writer = tpgroup_add("writer");
	struct tp_name n;

	(void)state;
	b->first = TP_NAMES_FIRST_BUSY(TP_TAG(writer));
	assert_int_equal(tp_publish("busy", heap + 4, "t", 0), 0);
	assert_true(b->first == TP_NAMES_FIRST_BUSY(TP_TAG(writer)));
	assert_int_equal(tp_lookup("busy", "t", &n), 0);
	assert_ptr_equal(n.ptr, heap + 4);
	tpgroup_died(writer);
	assert_int_equal(tp_publish("busy", heap + 5, "t", TP_PUBLISH_REPLACE), 0);
	assert_true(first_is_good(b));
	assert_int_equal(tp_lookup("busy", "t", &n), 0);
	assert_ptr_equal(n.ptr, heap + 5);
	assert_int_equal(tp_unpublish("busy", NULL), 0);
}

/* Neither an index that cannot be nor a chain in a circle holds a reader up. */
static void damage_is_reported(void **state)
{
	struct tp_names *t = tpi_names();
	struct tpi_name_key key;
	struct tp_name_cursor cursor = {.at = 0};
	struct tp_name n;
	uint64_t *head, good;

	(void)state;
	assert_int_equal(tpi_name_key("x", "t", &key), 0);
	head = &t->bucket[tpi_key_bucket(&key)].head;
	assert_int_equal(tp_publish("x", heap, "t", 0), 0);
	good = *head;
	*head = TP_NAMES_HEAD(5, 0xfffff);
	assert_int_equal(tp_lookup("x", "t", &n), -EUCLEAN);
	assert_non_null(strstr(tp_why(), "damaged"));
	assert_int_equal(tp_publish("x", heap, "u", 0), -EUCLEAN);
	assert_int_equal(tp_unpublish("x", "t"), -EUCLEAN);
	assert_int_equal(tp_name_next(&cursor, &n), -EUCLEAN);
	*head = good;
	t->entry[TP_NAMES_HEAD_INDEX(good)].next = TP_NAMES_HEAD_INDEX(good);
	assert_int_equal(tp_lookup("x", "another", &n), -EUCLEAN);
	t->entry[TP_NAMES_HEAD_INDEX(good)].next = 0;
	assert_int_equal(tp_unpublish("x", "t"), 0);
	n.handle[1] = ~UINT64_C(0);
	assert_int_equal(tp_name_check(&n), -EINVAL);
}

static void outside_of_a_group_all_say_so(void **state)
{
	struct tp_name_cursor c = {.at = 0};
	struct tp_name n;

	(void)state;
	tpi_disconnect();
	assert_int_equal(tp_publish("x", heap, "t", 0), -ENOTCONN);
	assert_int_equal(tp_lookup("x", "t", &n), -ENOTCONN);
	assert_int_equal(tp_wait("x", "t", TP_FOREVER, &n), -ENOTCONN);
	assert_int_equal(tp_unpublish("x", "t"), -ENOTCONN);
	assert_int_equal(tp_name_check(&n), -ENOTCONN);
	assert_int_equal(tp_name_next(&c, &n), -ENOTCONN);
	tpgroup_be(me);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_is_found),
		cmocka_unit_test(a_name_is_replaced_only_when_asked),
		cmocka_unit_test(generations_only_grow),
		cmocka_unit_test(types_stand_side_by_side),
		cmocka_unit_test(one_name_has_so_many_types),
		cmocka_unit_test(bad_names_are_refused),
		cmocka_unit_test(text_that_is_not_utf8_is_refused),
		cmocka_unit_test(control_characters_beyond_ascii_are_refused),
		cmocka_unit_test(every_other_character_is_taken),
		cmocka_unit_test(pointers_of_nobody_are_refused),
		cmocka_unit_test(a_satellite_is_refused_foreign_memory),
		cmocka_unit_test(a_death_flips_all_names),
		cmocka_unit_test(any_type_prefers_the_living),
		cmocka_unit_test(listing_shows_each_once),
		cmocka_unit_test(what_is_short_stands_in_the_bucket),
		cmocka_unit_test(what_is_longer_is_found_in_the_chain),
		cmocka_unit_test(an_old_first_is_not_believed),
		cmocka_unit_test(a_first_that_is_written_is_left_alone),
		cmocka_unit_test(damage_is_reported),
		cmocka_unit_test(outside_of_a_group_all_say_so),
	};

	return cmocka_run_group_tests(tests, open_group, close_group);
}
