/* SPDX-License-Identifier: MIT */
/* The mmap, munmap and mremap calls that programs make, and what they rely on afterwards. */
#include "guest.h"

#include <sys/mman.h>

enum { PAGE = 4096 };
#define ANON (MAP_PRIVATE | MAP_ANONYMOUS)
#define RW   (PROT_READ | PROT_WRITE)

static char *get(size_t pages)
{
	char *p = mmap(NULL, pages * PAGE, RW, ANON, -1, 0);

	CHECK(p != MAP_FAILED && (unsigned long)p % PAGE == 0);
	return p;
}

static void fixed(void)
{
	char *p = get(8);

	memset(p, 1, 8 * PAGE);
	CHECK(mmap(p + 2 * PAGE, 2 * PAGE, RW, ANON | MAP_FIXED, -1, 0) == p + 2 * PAGE);
	CHECK(p[PAGE] == 1 && p[2 * PAGE] == 0 && p[4 * PAGE] == 1);
	CHECK(mmap(p, PAGE, RW, ANON | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED &&
		errno == EEXIST);
	CHECK(munmap(p, 8 * PAGE) == 0);
	CHECK(mmap(p, PAGE, RW, ANON | MAP_FIXED_NOREPLACE, -1, 0) == p);
	CHECK(munmap(p, PAGE) == 0);
	puts("fixed");
}

/* A hint that is free is nice to get; one that is taken must not be given twice. */
static void hints(void)
{
	char *p = get(4);
	char *q = mmap(p, PAGE, RW, ANON, -1, 0);

	CHECK(q != MAP_FAILED && (q + PAGE <= p || q >= p + 4 * PAGE));
	CHECK(munmap(q, PAGE) == 0 && munmap(p, 4 * PAGE) == 0);
	CHECK(mmap((void *)0x123456789000, PAGE, RW, ANON, -1, 0) != MAP_FAILED);
	puts("hints");
}

static void middle(void)
{
	char *p = get(9);

	memset(p, 5, 9 * PAGE);
	CHECK(munmap(p + 3 * PAGE, 3 * PAGE) == 0);
	CHECK(p[0] == 5 && p[8 * PAGE] == 5);
	CHECK(mprotect(p + 3 * PAGE, PAGE, PROT_READ) < 0 && errno == ENOMEM);
	CHECK(munmap(p, 9 * PAGE) == 0);
	puts("middle");
}

static void remap(void)
{
	char *p = get(4), *wall, *q, *target;

	strcpy(p, "kept");
	CHECK(mremap(p, 4 * PAGE, 2 * PAGE, 0) == p);
	wall = mmap(p + 2 * PAGE, PAGE, RW, ANON | MAP_FIXED, -1, 0);
	CHECK(wall == p + 2 * PAGE);
	CHECK(mremap(p, 2 * PAGE, 64 * PAGE, 0) == MAP_FAILED && errno == ENOMEM);
	q = mremap(p, 2 * PAGE, 64 * PAGE, MREMAP_MAYMOVE);
	CHECK(q != MAP_FAILED && strcmp(q, "kept") == 0 && q[63 * PAGE] == 0);
	target = get(64);
	CHECK(mremap(q, 64 * PAGE, 64 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, target) == target);
	CHECK(strcmp(target, "kept") == 0);
	for (size_t n = 64; n < 4096; n *= 2) {
		target = mremap(target, n * PAGE, 2 * n * PAGE, MREMAP_MAYMOVE);
		CHECK(target != MAP_FAILED && strcmp(target, "kept") == 0);
		target[(2 * n - 1) * PAGE] = 1;
	}
	puts("remap");
}

static void reservation(void)
{
	size_t big = 2ul << 30;
	char *p = mmap(NULL, big, PROT_NONE, ANON | MAP_NORESERVE, -1, 0);

	CHECK(p != MAP_FAILED);
	CHECK(mprotect(p + (1ul << 30), PAGE, RW) == 0);
	p[1ul << 30] = 1;
	CHECK(madvise(p + (1ul << 30), PAGE, MADV_DONTNEED) == 0 && p[1ul << 30] == 0);
	CHECK(munmap(p, big) == 0);
	puts("reservation");
}

static void errors(void)
{
	CHECK(mmap(NULL, 0, RW, ANON, -1, 0) == MAP_FAILED && errno == EINVAL);
	CHECK(mmap(NULL, ~0ul << 13, RW, ANON, -1, 0) == MAP_FAILED && errno == ENOMEM);
	CHECK(mmap(NULL, PAGE, RW, MAP_PRIVATE, -1, 0) == MAP_FAILED && errno == EBADF);
	CHECK(munmap((void *)1, PAGE) < 0 && errno == EINVAL);
	CHECK(mremap((void *)0x10000, PAGE, 2 * PAGE, MREMAP_MAYMOVE) == MAP_FAILED &&
		errno == EFAULT);
	puts("errors");
}

static void shared_file(void)
{
	FILE *f = tmpfile();
	char *a, *b;

	CHECK(f && ftruncate(fileno(f), 2 * PAGE) == 0);
	a = mmap(NULL, 2 * PAGE, RW, MAP_SHARED, fileno(f), 0);
	b = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fileno(f), PAGE);
	CHECK(a != MAP_FAILED && b != MAP_FAILED);
	a[PAGE] = 42;
	CHECK(b[0] == 42 && msync(a, 2 * PAGE, MS_SYNC) == 0);
	puts("shared file");
}

/* Where there is MAP_32BIT: without MAP_FIXED it asks for the low 2 GiB. */
static void low(void)
{
#ifdef MAP_32BIT
	char *p = mmap(NULL, PAGE, RW, ANON | MAP_32BIT, -1, 0);

	CHECK(p != MAP_FAILED && (unsigned long)p < 1ul << 32);
	p[0] = 1;
#endif
}

/* MAP_GROWSDOWN asks for a stack. */
static void special(void)
{
	char *down = mmap(NULL, 4 * PAGE, RW, ANON | MAP_GROWSDOWN | MAP_STACK, -1, 0);

	low();
	CHECK(down != MAP_FAILED);
	down[0] = 1;
	puts("special");
}

int main(void)
{
	fixed();
	hints();
	middle();
	remap();
	reservation();
	errors();
	shared_file();
	special();
	return 0;
}
