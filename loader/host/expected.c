/* SPDX-License-Identifier: MIT */
/*
 * The libc that a program is expected to map: launch.c has put the shared copy of its text in its place, and the
 * interpreter's own mappings of that file are answered so that it stays there.
 */
#include "ask.h"
#include "shared.h"

bool tpi_expected_is(const struct tp_control *c, const struct ask *a)
{
	const struct tpi_text *t;
	struct tpi_file file;

	if (!c->libc_text.len || !tpi_ask_is_file(a) || (a->flags & MAP_TYPE) != MAP_PRIVATE || !tpi_file_of((int)a->fd, &file))
		return false;
	t = tpi_text_by_number(c->libc_facts);
	return t && tpi_text_known(&file, t->off) == t;
}

/*
 * The interpreter maps the whole libc before its segments. Its rewritten text is in place already (launch.c): only what
 * lies before and behind it comes from the file.
 */
long tpi_expected_map_around(struct tp_control *c, const struct ask *a)
{
	uint64_t at = c->base + TP_SLOT_LIBC, text = c->libc_text.addr, end = text + c->libc_text.len;
	long flags = MAP_PRIVATE | MAP_FIXED, r;

	if (a->off || text <= at || at + a->span < end || !tpi_space_take_at(c, at, a->span))
		return -EEXIST;
	r = tpi_mmap(at, text - at, a->prot, flags, a->fd, 0);
	if (!tpi_failed(r) && at + a->span > end)
		r = tpi_mmap(end, at + a->span - end, a->prot, flags, a->fd, end - at);
	if (tpi_failed(r)) {
		tpi_munmap(at, a->span);
		tpi_space_give(c, at, a->span);
		c->libc_text.len = 0;
		return r;
	}
	tpi_space_dirty(c, at);
	return (long)at;
}

/* Then it maps the text itself, which is done. */
bool tpi_expected_text(struct tp_control *c, const struct ask *a)
{
	if (a->addr != c->libc_text.addr || a->span != c->libc_text.len || a->prot != (PROT_READ | PROT_EXEC) ||
	    !tpi_expected_is(c, a))
		return false;
	c->libc_text.len = 0;
	return true;
}
