/* SPDX-License-Identifier: MIT */
/*
 * The plan against the kernel: files of many shapes are really executed, and what stands in the
 * memory of the process is compared, page by page and byte by byte, with what the plan says.
 *
 * The rules are those of Linux 6.12 and later; an older kernel differs in odd corners (bss of a
 * segment that is not the last, alignment of static files), and this test is skipped there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "elfmake.h"
#include "elfrun.h"
#include "plan.h"

enum { RANDOM_SHAPES = 300 };

static struct elfrun running; /* ended by tear-down, should a test fail */
static char dir[] = "/tmp/plan-kernel-XXXXXX", path[64];
static struct stat file_stat;
static unsigned char *file;
static size_t file_len;

static int stop(void **state)
{
	(void)state;
	elfrun_stop(&running);
	return 0;
}

/* The file goes to disk and into the reader. Returns the plan's verdict. */
static int make_plan(const struct elfmake *make, struct tp_plan *plan, struct tp_error *err)
{
	struct tp_elf elf;

	unlink(path);
	assert_int_equal(elfmake_write(make, path), 0);
	assert_int_equal(stat(path, &file_stat), 0);
	free(file);
	file = elfmake_build(make, &file_len);
	tp_elf_open_memory(file, file_len, &elf);
	return tp_plan_read(&elf, "prog", plan, err);
}

static void expect_page(const struct elfrun *p, uint64_t at, uint32_t prot, int64_t off)
{
	char want[5] = "---p";
	const struct elfrun_vma *v = elfrun_find(p, at);

	want[0] = prot & PROT_READ ? 'r' : '-';
	want[1] = prot & PROT_WRITE ? 'w' : '-';
	want[2] = prot & PROT_EXEC ? 'x' : '-';
	if (!v)
		fail_msg("nothing is mapped at %#lx", at);
	assert_string_equal(v->perms, want);
	if (off < 0)
		assert_int_equal(v->ino, 0);
	else
		assert_int_equal(v->ino, file_stat.st_ino);
	if (off >= 0)
		assert_int_equal(v->off + (at - v->start), off);
}

/* The page as the plan would have it. */
static void plan_page(const struct tp_plan_map *m, uint64_t vaddr, unsigned char *page)
{
	uint64_t off = m->off + (vaddr - m->vaddr);

	memset(page, 0, TP_PAGE_SIZE);
	if (vaddr - m->vaddr >= tp_plan_map_file_pages(m))
		return;
	if (off < file_len)
		memcpy(page, file + off, file_len - off < TP_PAGE_SIZE ? file_len - off : TP_PAGE_SIZE);
	if (m->zero_len && (m->zero_at & ~(TP_PAGE_SIZE - 1)) == vaddr)
		memset(page + (m->zero_at - vaddr), 0, m->zero_len);
}

static void expect_bytes(int mem, uint64_t at, const unsigned char *want)
{
	unsigned char page[TP_PAGE_SIZE];

	assert_int_equal(pread(mem, page, sizeof(page), at), sizeof(page));
	assert_memory_equal(page, want, sizeof(page));
}

static void expect_map(const struct elfrun *p, int mem, const struct tp_plan_map *m,
	uint64_t bias)
{
	unsigned char page[TP_PAGE_SIZE];

	for (uint64_t at = m->vaddr; at < m->vaddr + m->len; at += TP_PAGE_SIZE) {
		if (at - m->vaddr < tp_plan_map_file_pages(m))
			expect_page(p, bias + at, m->prot, m->off + (at - m->vaddr));
		else
			expect_page(p, bias + at, m->anon_prot, -1);
		plan_page(m, at, page);
		if (m->off + (at - m->vaddr) < file_len || m->file_len == 0)
			expect_bytes(mem, bias + at, page);
	}
}

/* Between two segments is nothing of the file; one time in some hundreds, the vDSO. */
static void expect_hole(const struct elfrun *p, uint64_t at)
{
	const struct elfrun_vma *v = elfrun_find(p, at);

	if (v && !v->kernel)
		fail_msg("%s at %#lx, inode %lu", v->perms, at, (unsigned long)v->ino);
}

static void expect_maps(const struct elfrun *p, const struct tp_plan *plan, uint64_t bias)
{
	uint64_t end = plan->lo;
	char name[64];
	int mem;

	snprintf(name, sizeof(name), "/proc/%d/mem", p->pid);
	mem = open(name, O_RDONLY | O_CLOEXEC);
	assert_true(mem >= 0);
	for (uint32_t i = 0; i < plan->nmap; i++) {
		for (; end < plan->map[i].vaddr; end += TP_PAGE_SIZE)
			expect_hole(p, bias + end);
		expect_map(p, mem, &plan->map[i], bias);
		end = plan->map[i].vaddr + plan->map[i].len;
	}
	assert_int_equal(end, plan->hi);
	close(mem);
}

static void expect_stack(const struct elfrun *p, bool exec)
{
	for (unsigned i = 0; i < p->nvma; i++)
		if (p->vma[i].stack)
			assert_string_equal(p->vma[i].perms, exec ? "rwxp" : "rw-p");
}

static void compare(const struct tp_plan *plan)
{
	struct elfrun *p = &running;
	int ret = elfrun_start(path, p);
	uint64_t bias;

	if (ret < 0)
		fail_msg("the kernel says: %s", strerror(-ret));
	assert_true(elfrun_is_waiting(p));
	elfrun_look(p);
	bias = p->aux[AT_ENTRY] - plan->entry;
	assert_int_equal(bias % plan->align, 0);
	if (plan->kind == TP_PLAN_EXEC)
		assert_int_equal(bias, 0);
	if (plan->phdr)
		assert_int_equal(p->aux[AT_PHDR], plan->phdr + bias);
	assert_int_equal(p->aux[AT_PHNUM], plan->phnum);
	assert_int_equal(p->aux[AT_PHENT], plan->phent);
	expect_maps(p, plan, bias);
	expect_stack(p, plan->stack_exec);
	elfrun_stop(p);
}

static void same(const struct elfmake *make)
{
	struct tp_error err;
	struct tp_plan plan;

	if (make_plan(make, &plan, &err) < 0)
		fail_msg("%s", err.text);
	compare(&plan);
}

static void usual_shapes(void **state)
{
	static const unsigned types[] = { ET_DYN, ET_EXEC };
	struct elfmake make;

	(void)state;
	for (int i = 0; i < 2; i++) {
		elfmake_init(&make, types[i]);
		same(&make);
		make.part[1].ph.p_memsz = 0x5001;
		same(&make);
		make.part[1].ph.p_filesz = 0x1000;
		same(&make);
		make.part[1].ph.p_vaddr += 0x200000;
		same(&make);
	}
}

static void stack_flags(void **state)
{
	struct elfmake make;

	(void)state;
	elfmake_init(&make, ET_DYN);
	make.part[2].ph.p_flags |= PF_X;
	same(&make);
	make.nparts = 2;
	same(&make);
}

static void odd_bss(void **state)
{
	struct elfmake make;

	(void)state;
	elfmake_init(&make, ET_DYN);
	make.part[1].ph.p_flags = PF_R;
	make.part[1].ph.p_memsz = 0x1800;
	same(&make);
	make.part[1].ph.p_flags = PF_R | PF_X;
	same(&make);
	make.part[1].ph.p_flags = PF_R | PF_W | PF_X;
	same(&make);
	make.part[1].ph.p_filesz = 0;
	same(&make);
	make.part[1].ph.p_offset = 0x777777;
	make.size = 0x1800;
	same(&make);
}

static void shared_pages(void **state)
{
	struct elfmake make;

	(void)state;
	elfmake_init(&make, ET_DYN);
	make.part[0].ph.p_filesz = make.part[0].ph.p_memsz = 0x2800;
	make.part[1].ph.p_offset = make.part[1].ph.p_vaddr = 0x2900;
	same(&make);
	elfmake_init(&make, ET_EXEC);
	make.part[1].ph.p_memsz = 0x123;
	elfmake_add(&make, PT_LOAD, PF_R, 0x2800, ELFMAKE_FIXED + 0x2800, 0x100, 0x100);
	same(&make);
	make.part[1].ph.p_memsz = 0x1010;
	make.part[3].ph.p_offset += 0x1000;
	make.part[3].ph.p_vaddr += 0x1000;
	same(&make);
}

static void large_alignment(void **state)
{
	struct elfmake make;

	(void)state;
	elfmake_init(&make, ET_DYN);
	make.part[0].ph.p_align = 0x200000;
	same(&make);
	make.part[0].ph.p_align = 0x40000000;
	same(&make);
	make.part[0].ph.p_align = 0x300000;
	same(&make);
}

static void program_headers_elsewhere(void **state)
{
	struct elfmake make;

	(void)state;
	elfmake_init(&make, ET_DYN);
	make.eh.e_phoff = 0x1200;
	same(&make);
	make.eh.e_phoff = 0x2400;
	make.size = 0x3000;
	same(&make);
}

static uint64_t pick(unsigned n)
{
	return rand() % n;
}

/* Sizes that end at, just before and just behind pages, and elsewhere. */
static uint64_t pick_size(void)
{
	static const uint64_t edge[] = { 0, 1, 0xfff, 0x1000, 0x1001, 0x1800, 0x2000, 0x2fff };

	return pick(3) ? edge[pick(8)] : pick(0x4000);
}

static void random_segment(struct elfmake *make, uint64_t *at)
{
	static const uint64_t gap[] = { 0, 1, 0x7ff, 0x1000, 0x3000 };
	uint64_t filesz = pick_size(), memsz = filesz + (pick(2) ? pick_size() : 0);
	uint64_t off = pick(6) * TP_PAGE_SIZE + (*at += gap[pick(5)]) % TP_PAGE_SIZE;

	elfmake_add(make, PT_LOAD, pick(8), off, *at, filesz, memsz);
	*at += memsz;
}

static void random_shapes(void **state)
{
	struct elfmake make;
	struct tp_error err;
	struct tp_plan plan;
	uint64_t at;
	int accepted = 0;

	(void)state;
	for (int i = 0; i < RANDOM_SHAPES; i++) {
		srand(i);
		elfmake_init(&make, pick(2) ? ET_DYN : ET_EXEC);
		make.nparts = 1;
		at = make.part[0].ph.p_vaddr + 0x2000; /* leaves the code its page */
		for (unsigned n = 1 + pick(4); n; n--)
			random_segment(&make, &at);
		if (make_plan(&make, &plan, &err) < 0)
			fail_msg("shape %d: %s", i, err.text);
		compare(&plan);
		accepted++;
	}
	assert_int_equal(accepted, RANDOM_SHAPES);
}

/* The kernel either refuses to execute the file or kills the process before it runs. */
static void neither(const struct elfmake *make)
{
	struct tp_error err;
	struct tp_plan plan;

	assert_int_equal(make_plan(make, &plan, &err), -ENOEXEC);
	if (elfrun_start(path, &running) < 0)
		return;
	assert_false(elfrun_is_waiting(&running));
	assert_true(WIFSIGNALED(elfrun_stop(&running)));
}

static void what_the_kernel_refuses(void **state)
{
	struct elfmake sound, make;

	(void)state;
	elfmake_init(&sound, ET_DYN);
	make = sound, make.eh.e_machine = EM_AARCH64, neither(&make);
	make = sound, make.eh.e_type = ET_REL, neither(&make);
	make = sound, make.eh.e_phentsize = 55, neither(&make);
	make = sound, make.eh.e_phnum = 1171, neither(&make);
	make = sound, make.nparts = 0, neither(&make);
	make = sound, make.size = 0x40, neither(&make);
	make = sound, make.part[1].ph.p_vaddr += 8, neither(&make);
	make = sound, make.part[1].ph.p_memsz = 0x122, neither(&make);
	make = sound, make.part[1].ph.p_memsz = UINT64_MAX, neither(&make);
	make = sound, make.part[1].ph.p_vaddr = UINT64_C(1) << 63, neither(&make);
	make = sound, make.eh.e_entry = UINT64_MAX, neither(&make);
	make = sound, elfmake_add_data(&make, PT_INTERP, "x", 1), neither(&make);
	make = sound, elfmake_add_data(&make, PT_INTERP, "/lib/x", 6), neither(&make);
}

static int prepare(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/prog", dir);
	return 0;
}

static int clean(void **state)
{
	(void)state;
	unlink(path);
	free(file);
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(usual_shapes, stop),
		cmocka_unit_test_teardown(stack_flags, stop),
		cmocka_unit_test_teardown(odd_bss, stop),
		cmocka_unit_test_teardown(shared_pages, stop),
		cmocka_unit_test_teardown(large_alignment, stop),
		cmocka_unit_test_teardown(program_headers_elsewhere, stop),
		cmocka_unit_test_teardown(random_shapes, stop),
		cmocka_unit_test_teardown(what_the_kernel_refuses, stop),
	};
	struct utsname u;
	int major = 0, minor = 0;

	if (uname(&u) < 0 || sscanf(u.release, "%d.%d", &major, &minor) != 2
			|| major * 100 + minor < 612) {
		printf("skipped: the kernel is older than 6.12\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, prepare, clean);
}
