/* SPDX-License-Identifier: MIT */
/* Reading an address space, against this process's own. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "supervise/procmaps.h"
#include "unit.h"

enum { PAGES = 64, PAGE = 4096 };

struct search {
	uint64_t addr, rss, last;
	int hits, n;
};

static void look(void *arg, const struct tp_mapping *m)
{
	struct search *s = arg;

	assert_true(m->lo < m->hi && m->lo >= s->last);
	s->last = m->hi;
	s->n++;
	if (s->addr >= m->lo && s->addr < m->hi) {
		s->hits++;
		s->rss = m->rss;
	}
}

static void *own_mapping(void)
{
	void *at = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(at != MAP_FAILED);
	return at;
}

static void every_mapping_is_seen_once_and_in_order(void **state)
{
	char *at = own_mapping();
	struct search s = {.addr = (uint64_t)(uintptr_t)at};

	(void)state;
	assert_int_equal(tp_procmaps_each(getpid(), "maps", look, &s), 0);
	assert_int_equal(s.hits, 1);
	assert_true(s.n > 5);
	munmap(at, PAGES * PAGE);
}

static void resident_pages_are_counted(void **state)
{
	char *at = own_mapping();
	struct search s = {.addr = (uint64_t)(uintptr_t)at};

	(void)state;
	madvise(at, PAGES * PAGE, MADV_NOHUGEPAGE);
	memset(at, 1, 10 * PAGE);
	assert_int_equal(tp_procmaps_each(getpid(), "smaps", look, &s), 0);
	assert_int_equal(s.hits, 1);
	assert_int_equal(s.rss, 10 * PAGE);
	munmap(at, PAGES * PAGE);
}

/* More than one buffer of text. */
static void thousands_of_mappings_are_all_seen(void **state)
{
	enum { MANY = 4000 };
	int before = tp_procmaps_count(getpid()), after;
	char *at = mmap(NULL, MANY * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	for (int i = 0; i < MANY; i += 2)
		assert_int_equal(mprotect(at + i * PAGE, PAGE, PROT_READ | PROT_WRITE), 0);
	after = tp_procmaps_count(getpid());
	assert_in_range(after, before + MANY - 4, before + MANY + 4);
	munmap(at, MANY * PAGE);
}

struct leaps {
	uint64_t over_lo, over_hi, last;
	int n, inside;
};

static uint64_t leap(void *arg, const struct tp_mapping *m)
{
	struct leaps *l = arg;

	assert_true(m->lo < m->hi && m->lo >= l->last);
	l->last = m->hi;
	l->n++;
	if (m->hi <= l->over_lo || m->lo >= l->over_hi)
		return m->hi;
	l->inside++;
	return l->over_hi;
}

/* Both ways see the same: all but what was leapt over, of which they see the first. */
static void what_is_leapt_over_is_not_seen(void **state)
{
	enum { MANY = 400 };
	char *at = mmap(NULL, MANY * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct leaps text = {.over_lo = (uint64_t)(uintptr_t)at, .over_hi = (uint64_t)(uintptr_t)at + MANY * PAGE}, asked = text;
	int all;

	(void)state;
	for (int i = 0; i < MANY; i += 2)
		assert_int_equal(mprotect(at + i * PAGE, PAGE, PROT_READ | PROT_WRITE), 0);
	assert_int_equal(tp_procmaps_leap_by_text(getpid(), leap, &text), 0);
	assert_int_equal(tp_procmaps_leap(getpid(), leap, &asked), 0);
	all = tp_procmaps_count(getpid());
	assert_int_equal(text.inside, 1);
	assert_int_equal(asked.inside, 1);
	assert_in_range(text.n, all - MANY, all - MANY + 3);
	assert_in_range(asked.n, text.n - 1, text.n); /* the text has [vsyscall], too */
	assert_int_equal(tp_procmaps_leap(0x3ffffff, leap, &asked), -ENOENT);
	munmap(at, MANY * PAGE);
}

static void a_process_that_is_gone_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(tp_procmaps_count(0x3ffffff), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_mapping_is_seen_once_and_in_order),
		cmocka_unit_test(resident_pages_are_counted),
		cmocka_unit_test(thousands_of_mappings_are_all_seen),
		cmocka_unit_test(what_is_leapt_over_is_not_seen),
		cmocka_unit_test(a_process_that_is_gone_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
