/* SPDX-License-Identifier: MIT */
/*
 * What earlier groups of this user found out about texts: a file beside the groups' directories. Looking through a libc takes
 * longer than all else that starts a program in a fresh group.
 *
 *	record, record, ...	each: struct record | struct tpi_text, as far as its sites are used
 *
 * A host reads the file once, at its start. A program that had to look through a text itself appends what it found with one
 * write. Facts count for the tp-host that found them only, and for a file that is the same by all that identifies it (text.h).
 * The host cuts off a broken record and what follows it, and empties a file that has grown large with facts of files long gone.
 *
 * Whoever may write this file may run programs as this user anyway: it must be the user's own, and closed to others.
 */
#include "file.h"
#include "text.h"

#define MAGIC	  UINT64_C(0x3173747865747074)
#define LARGE	  (128u << 10)
#define LOADED	  32 /* at most; the rest of the table is for what is new */
#define SETTLED_S 2  /* a file that just changed may change again within the clock's step */

enum { WRITE_ONLY = 01, READ_WRITE = 02, CREATE = 0100, APPEND = 02000, CLOSE_ON_EXEC = 02000000, DO_NOT_BLOCK = 04000 };

struct record {
	uint64_t magic, size, sum, host;
};

struct part {
	const void *p;
	uint64_t len;
};

static const char *facts_path;
static uint64_t this_host;

static uint64_t sum_of(const void *p, uint64_t len)
{
	const uint64_t *words = p;
	uint64_t h = UINT64_C(0x9e3779b97f4a7c15) ^ len;

	for (uint64_t i = 0; i < len / 8; i++) {
		h = (h ^ words[i]) * UINT64_C(0xbf58476d1ce4e5b9);
		h ^= h >> 29;
	}
	return h;
}

static uint64_t size_with(uint64_t nsites)
{
	return offsetof(struct tpi_text, sites) + nsites * sizeof(struct arch_site);
}

/* Return: descriptor or negative errno. */
static int open_own(int flags, uint64_t *ret_size)
{
	long fd = arch_syscall6(ARCH_NR_openat, TPI_AT_FDCWD, (long)facts_path,
				flags | CLOSE_ON_EXEC | DO_NOT_BLOCK | ARCH_O_NOFOLLOW, 0600, 0, 0);
	uint32_t uid = (uint32_t)arch_syscall3(ARCH_NR_geteuid, 0, 0, 0);
	struct arch_stat st;

	if (fd < 0)
		return (int)fd;
	if (!arch_syscall3(ARCH_NR_fstat, fd, (long)&st, 0) && arch_stat_private(&st, uid)) {
		*ret_size = arch_stat_size(&st);
		return (int)fd;
	}
	tpi_close((int)fd);
	return -EPERM;
}

/* Which of all builds of tp-host this is. */
static bool learn_host(void)
{
	long fd = arch_syscall6(ARCH_NR_openat, TPI_AT_FDCWD, (long)"/proc/self/exe", CLOSE_ON_EXEC, 0, 0, 0);
	struct tpi_file file;
	bool known = fd >= 0 && tpi_file_of((int)fd, &file);

	if (fd >= 0)
		tpi_close((int)fd);
	this_host = known ? sum_of(&file, sizeof(file)) : 0;
	return known;
}

static bool is_sound(const struct tpi_text *t, uint64_t len)
{
	return t->nsites <= TPI_SITES_MAX && t->npatches <= TPI_PATCHES_MAX && len == size_with(t->nsites);
}

static bool add(const struct tpi_text *found, uint64_t len)
{
	struct tpi_text *t;

	if (!is_sound(found, len))
		return false;
	if (tpi_text_known(&found->file, found->off)) /* two groups looked at the same time */
		return true;
	t = tpi_text_claim();
	if (!t)
		return false;
	memcpy(t, found, len);
	tpi_text_publish(t);
	return true;
}

/* Return: the bytes of the record at p, 0 if it is broken. */
static uint64_t take(const uint8_t *p, uint64_t left, unsigned *loaded)
{
	const struct record *r = (const struct record *)p;
	uint64_t len;

	if (left < sizeof(*r) + size_with(0) || r->magic != MAGIC || r->size % 8 || r->size < sizeof(*r) + size_with(0) ||
	    r->size > left)
		return 0;
	len = r->size - sizeof(*r);
	if (r->host != this_host || *loaded == LOADED)
		return r->size;
	if (r->sum != sum_of(r + 1, len))
		return 0;
	if (!add((const struct tpi_text *)(r + 1), len))
		return 0;
	(*loaded)++;
	return r->size;
}

/* Return: how many bytes at the start of the file are good records. */
static uint64_t load(int fd, uint64_t size)
{
	unsigned loaded = 0;
	uint64_t len = size, done = 0, n = 1;
	long at = size && size <= LARGE ? tpi_mmap(0, size, PROT_READ | PROT_WRITE, TPI_MAP_ANON, -1, 0) : -E2BIG;

	if (tpi_failed(at))
		return 0;
	if (arch_syscall6(ARCH_NR_pread64, fd, at, (long)size, 0, 0, 0) != (long)size)
		size = 0;
	for (; done < size && n; done += n)
		n = take((const uint8_t *)at + done, size - done, &loaded);
	tpi_munmap((uint64_t)at, len);
	return done;
}

void tpi_facts_load(const char *path)
{
	uint64_t size = 0, good;
	int fd;

	if (!path || !learn_host())
		return;
	facts_path = path;
	fd = open_own(READ_WRITE, &size);
	if (fd < 0) /* not there yet, perhaps */
		return;
	good = load(fd, size);
	if (good < size)
		arch_syscall3(ARCH_NR_ftruncate, fd, (long)good, 0);
	tpi_close(fd);
}

static bool has_settled(int fd)
{
	int64_t now[2];
	struct arch_stat st;

	return !arch_syscall3(ARCH_NR_fstat, fd, (long)&st, 0) && !arch_syscall3(ARCH_NR_clock_gettime, 0, (long)now, 0) &&
	       arch_stat_changed(&st) < now[0] - SETTLED_S;
}

/* Past this limit of its own, a program that writes gets a deadly signal. */
static bool may_write(void)
{
	uint64_t limit[2];

	return !arch_syscall6(ARCH_NR_prlimit64, 0, 1, 0, (long)limit, 0, 0) && limit[0] == UINT64_MAX;
}

void tpi_facts_store(const struct tpi_text *t, int text_fd)
{
	uint64_t len = size_with(t->nsites), ignored;
	struct record r = { MAGIC, sizeof(r) + len, sum_of(t, len), this_host };
	struct part parts[] = { { &r, sizeof(r) }, { t, len } };
	int fd;

	if (!facts_path || !has_settled(text_fd) || !may_write())
		return;
	fd = open_own(WRITE_ONLY | APPEND | CREATE, &ignored);
	if (fd < 0)
		return;
	arch_syscall3(ARCH_NR_writev, fd, (long)parts, 2);
	tpi_close(fd);
}
