/* SPDX-License-Identifier: MIT */
/*
 * The libc that a program is expected to map: launch.c has put the shared copy of its read-only part in its place, and the
 * interpreter's own mappings of that file are answered so that it stays there.
 */
#include "ask.h"
#include "shared.h"

bool tpi_expected_is(const struct tp_control *c, const struct ask *a)
{
	const struct tpi_text *t;
	struct tpi_file file;

	if (!c->libc_head.len || !tpi_ask_is_file(a) || (a->flags & MAP_TYPE) != MAP_PRIVATE || !tpi_file_of((int)a->fd, &file))
		return false;
	t = tpi_text_by_number(c->libc_facts);
	return t && tpi_text_known(&file, t->off) == t;
}

/* The interpreter maps the whole libc before its segments: only what lies behind the shared part comes from the file. */
long tpi_expected_map_rest(struct tp_control *c, const struct ask *a)
{
	uint64_t at = c->libc_head.addr, end = at + c->libc_head.len;
	long r = 0;

	if (a->off || a->span < c->libc_head.len || !tpi_space_take_at(c, at, a->span))
		return -EEXIST;
	if (at + a->span > end)
		r = tpi_mmap(end, at + a->span - end, a->prot, MAP_PRIVATE | MAP_FIXED, a->fd, end - at);
	if (tpi_failed(r)) {
		tpi_munmap(at, a->span);
		tpi_space_give(c, at, a->span);
		c->libc_head.len = 0;
		return r;
	}
	tpi_space_dirty(c, at);
	return (long)at;
}

/* Then it maps one segment after the other: the read-only ones are there, and its data ends the matter. */
bool tpi_expected_part(struct tp_control *c, const struct ask *a)
{
	uint64_t at = c->libc_head.addr, len = c->libc_head.len;

	if (!tpi_expected_is(c, a))
		return false;
	if (a->prot & PROT_WRITE) {
		c->libc_head.len = 0;
		return false;
	}
	return a->addr >= at && a->addr - at == a->off && a->off + a->span <= len;
}
