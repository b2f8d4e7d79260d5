/* SPDX-License-Identifier: MIT */
/*
 * The cache of text facts: a fixed table in the host, shared by all programs, keyed by what identifies a file's content.
 *
 *   state 0 -> BUSY by one CAS (acquire), filled by its taker alone, READY by a release store that pairs with the reader's
 *   acquire load. A taker that dies leaves its entry BUSY for good: the next takes another. Entries are never reused.
 *
 * A group that lives long sees more files than that, as when a static program is built and run again all day. What finds the
 * table full is looked through in memory of the program's own, for this once.
 *
 * Files with nothing in them to rewrite, nearly all libraries, are remembered by a hash in a direct-mapped table.
 */
#include "text.h"

enum { EMPTY, BUSY, READY };

#define ENTRIES 48
#define BORING	4096

static struct tpi_text cache[ENTRIES];
static uint64_t boring[BORING];

struct file_stat { /* the kernel's struct stat, as far as it is used */
	uint64_t words[18];
};

bool tpi_file_of(int fd, struct tpi_file *ret)
{
	struct file_stat st;

	if (arch_syscall3(ARCH_NR_fstat, fd, (long)&st, 0))
		return false;
	for (int i = 0; i < 5; i++)
		ret->key[i] = arch_stat_key(st.words, i);
	return true;
}

static bool same_file(const struct tpi_file *a, const struct tpi_file *b)
{
	return a->key[0] == b->key[0] && a->key[1] == b->key[1] && a->key[2] == b->key[2] && a->key[3] == b->key[3] &&
	       a->key[4] == b->key[4];
}

static uint64_t hash(const struct tpi_file *file, uint64_t off)
{
	uint64_t h = UINT64_C(0x9e3779b97f4a7c15) ^ off;

	for (int i = 0; i < 5; i++) {
		h ^= file->key[i];
		h *= UINT64_C(0xbf58476d1ce4e5b9);
		h ^= h >> 29;
	}
	return h ? h : 1;
}

struct tpi_text *tpi_text_known(const struct tpi_file *file, uint64_t off)
{
	for (int i = 0; i < ENTRIES; i++) {
		uint32_t state = __atomic_load_n(&cache[i].state, __ATOMIC_ACQUIRE);

		if (state == EMPTY)
			return NULL;
		if (state == READY && cache[i].off == off && same_file(&cache[i].file, file))
			return &cache[i];
	}
	return NULL;
}

static bool is_listed(const struct tpi_text *t)
{
	return t >= cache && t < cache + ENTRIES;
}

uint32_t tpi_text_number(const struct tpi_text *t)
{
	return is_listed(t) ? (uint32_t)(t - cache) + 1 : 0;
}

struct tpi_text *tpi_text_by_number(uint32_t number)
{
	return number && number <= ENTRIES ? &cache[number - 1] : NULL;
}

struct tpi_text *tpi_text_claim(void)
{
	for (int i = 0; i < ENTRIES; i++) {
		uint32_t empty = EMPTY;

		if (__atomic_compare_exchange_n(&cache[i].state, &empty, BUSY, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return &cache[i];
	}
	return NULL;
}

void tpi_text_publish(struct tpi_text *t)
{
	__atomic_store_n(&t->state, READY, __ATOMIC_RELEASE);
}

static struct tpi_text *unlisted(struct tp_control *c)
{
	uint64_t len = tpi_page_up(sizeof(struct tpi_text)), at = tpi_space_take(c, TPI_ZONE_MMAP, len, TP_PAGE_SIZE);

	if (!at)
		return NULL;
	if (!tpi_failed(tpi_mmap(at, len, PROT_READ | PROT_WRITE, TPI_MAP_ANON | MAP_FIXED_NOREPLACE, -1, 0)))
		return (struct tpi_text *)at;
	tpi_space_give(c, at, len);
	return NULL;
}

void tpi_text_release(struct tp_control *c, struct tpi_text *t)
{
	uint64_t len = tpi_page_up(sizeof(*t));

	if (!is_listed(t) && !tpi_munmap((uint64_t)t, len))
		tpi_space_give(c, (uint64_t)t, len);
}

/* Keeps glibc's single-thread shortcut off: the flag decides whether mutexes and counters are atomic. */
static void find_stores(struct tpi_text *t, const struct tpi_image *im, uint64_t text, uint64_t len)
{
	struct arch_early_init in = { (const uint8_t *)text, len, text - im->bias, 0, 0 };
	uint64_t size, at, at_size;
	uint32_t index, ignored;
	int n;

	/* glibc < 2.32 has no such flag: it looks at its thread control block instead, which nothing here reaches. */
	if (!tpi_image_symbol(im, "__libc_single_threaded", &in.flag, &size, &index)) {
		t->warnings |= TP_WARN_LIBC_UNKNOWN;
		return;
	}
	in.got_slot = tpi_image_got_slot(im, index);
	if (tpi_image_symbol(im, "__libc_early_init", &at, &at_size, &ignored) && at >= in.addr &&
	    at + at_size <= in.addr + len) {
		in.text += at - in.addr;
		in.addr = at;
		in.len = at_size;
	}
	n = arch_early_init_patches(&in, t->patches, TPI_PATCHES_MAX, NULL);
	if (n < 0) {
		t->warnings |= TP_WARN_LIBC_UNKNOWN;
		return;
	}
	for (int i = 0; i < n; i++)
		t->patches[i].off += in.text - (const uint8_t *)text;
	t->npatches = (uint32_t)n;
}

/* A static executable keeps the flag in .data, where it starts as 1. Without one it is not glibc's, or too old. */
static void find_static_stores(struct tpi_text *t, uint64_t text, uint64_t len)
{
	struct arch_early_init in = { (const uint8_t *)text, len, text, 0, 0 };
	int n = arch_static_flag_find(in.text, len, text, &in.flag);

	if (n == -ENOENT)
		return;
	n = n ? n : arch_early_init_patches(&in, t->patches, TPI_PATCHES_MAX, NULL);
	if (n < 0) {
		t->warnings |= TP_WARN_LIBC_UNKNOWN;
		return;
	}
	t->npatches = (uint32_t)n;
	t->flag_off = (int64_t)(in.flag - text);
}

static void scan(struct tpi_text *t, enum tpi_role role, const struct tpi_image *im, uint64_t text, uint64_t len)
{
	struct arch_scan_opts o = { 0 };
	struct arch_scan_result r = { 0 };
	size_t n;

	arch_scan_want_routed(&o);
	n = arch_sites_scan((const uint8_t *)text, len, &o, t->sites, TPI_SITES_MAX, &r);
	t->nsites = (uint32_t)(n < TPI_SITES_MAX ? n : TPI_SITES_MAX);
	t->npatches = 0;
	t->flag_off = 0;
	t->warnings = r.stuck || n > TPI_SITES_MAX ? TP_WARN_UNROUTED : 0;
	if (role == TPI_ROLE_LIBC)
		find_stores(t, im, text, len);
	else if (role == TPI_ROLE_STATIC)
		find_static_stores(t, text, len);
}

struct tpi_text *tpi_text_facts(struct tp_control *c, int fd, uint64_t text, uint64_t len, uint64_t off, enum tpi_role role,
				uint64_t bias)
{
	struct tpi_image im = { .bias = bias, .text_len = len, .role = role };
	struct tpi_file file;
	struct tpi_text *t;
	uint64_t h;

	if (!tpi_file_of(fd, &file))
		return NULL;
	h = hash(&file, off);
	if (role == TPI_ROLE_LOADED && __atomic_load_n(&boring[h % BORING], __ATOMIC_RELAXED) == h)
		return NULL;
	t = tpi_text_known(&file, off);
	if (t)
		return t;
	if (role == TPI_ROLE_LOADED && (!tpi_image_read(fd, text, off, &im) || im.role == TPI_ROLE_NONE)) {
		__atomic_store_n(&boring[h % BORING], h, __ATOMIC_RELAXED);
		return NULL;
	}
	/* An interpreter whose first segment is the text maps the whole library with it, and its data over that later. */
	if (im.text_len < len)
		len = im.text_len;
	t = tpi_text_claim();
	if (!t)
		t = unlisted(c);
	if (!t) {
		tpi_warn(c, TP_WARN_UNROUTED);
		return NULL;
	}
	scan(t, im.role, &im, text, len);
	/* The scan mapped every page; a fork would copy what the program itself never looks at. */
	tpi_madvise(text, tpi_page_up(len), MADV_DONTNEED);
	t->file = file;
	t->off = off;
	t->len = len;
	t->role = im.role;
	t->bias_off = text - im.bias;
	t->head_len = im.role == TPI_ROLE_STATIC ? 0 : tpi_image_head(fd, im.role != TPI_ROLE_LIBC);
	/* What is mapped before the program can have shut itself in, where a system call more might kill it. */
	if (role != TPI_ROLE_LOADED || im.role == TPI_ROLE_LIBC)
		tpi_facts_store(t, fd);
	tpi_text_publish(t);
	return t;
}
