/* SPDX-License-Identifier: MIT */
/*
 * Strings with the layout of libstdc++'s std::string.
 *
 * What libstdc++ relies on, and so must hold after each call: data is never NULL and data[len] is NUL; data == local means a capacity of 15;
 * otherwise the block has capacity + 1 bytes, and capacity is above 15, since libstdc++ allocates for nothing less.
 *
 * A change of the room prepares the new block whole, then stores `data` BEFORE `capacity`, which shares its place with the short text: a
 * reader that looks after a kill in between finds the text at least.
 */
#include <errno.h>
#include <string.h>

#include "core.h"
#include "owned-block.h"
#include <tp/heap.h>
#include <tp/str.h>

_Static_assert(sizeof(struct tp_str) == 32, "the size of a std::string");
_Static_assert(offsetof(struct tp_str, len) == 8 && offsetof(struct tp_str, local) == 16, "its layout");

#define LENGTH_MAX ((size_t)INT64_MAX / 2)

static bool is_local(const struct tp_str *s)
{
	return s->data == s->local;
}

/* Of a sound string. */
static size_t room(const struct tp_str *s)
{
	return is_local(s) ? TP_STR_SHORT_MAX : s->capacity;
}

void tp_str_init(struct tp_str *s)
{
	if (!s)
		return;
	s->data = s->local;
	s->len = 0;
	s->local[0] = '\0';
}

static bool is_zero(const struct tp_str *s)
{
	return !s->data && !s->len;
}

static int not_a_string(const char *why)
{
	return tpi_fail(-EFAULT, "this is no string of the group: %s", why);
}

static int check_short(const struct tp_str *s)
{
	if (s->len > TP_STR_SHORT_MAX)
		return not_a_string("its length is more than a short string can have");
	return s->local[s->len] ? not_a_string("the NUL behind its text is missing") : 0;
}

int tp_str_check(const struct tp_str *s)
{
	int r;

	if (!s)
		return not_a_string("NULL");
	if (is_zero(s))
		return 0;
	if (is_local(s))
		return check_short(s);
	r = tpi_ready();
	if (r)
		return r;
	if (s->capacity <= TP_STR_SHORT_MAX || s->capacity > LENGTH_MAX || !tpi_owned_block(s->data, s->capacity + 1))
		return not_a_string(s->len <= TP_STR_SHORT_MAX
			? "it was copied as bytes while it was short (use tp_str_move), or its memory is not of the group's heap"
			: "its memory is not a block of the group's heap");
	if (s->len > s->capacity)
		return not_a_string("its length is beyond its capacity");
	return s->data[s->len] ? not_a_string("the NUL behind its text is missing") : 0;
}

/* Before a change: it is a string now. */
static int prepare(struct tp_str *s)
{
	int r = tp_str_check(s);

	if (!r && is_zero(s))
		tp_str_init(s);
	return r;
}

/* Twice the room at least, so that many small appends cost no more than one large one. */
static int new_block(const struct tp_str *s, size_t needed, char **ret_block, size_t *ret_capacity)
{
	size_t capacity = room(s) * 2;
	void *block;
	int r;

	if (needed > LENGTH_MAX) {
		tpi_fail(-EOVERFLOW, "a string of %u bytes is too long", (uint64_t)needed);
		return -EOVERFLOW;
	}
	if (capacity < needed)
		capacity = needed;
	r = tp_alloc(capacity + 1, 1, &block);
	if (r)
		return r;
	*ret_block = block;
	*ret_capacity = capacity;
	return 0;
}

/* The block holds the text already. */
static void adopt_block(struct tp_str *s, char *block, size_t capacity)
{
	char *old = is_local(s) ? NULL : s->data;

	__atomic_store_n(&s->data, block, __ATOMIC_RELEASE); /* after the block's content */
	__atomic_store_n(&s->capacity, capacity, __ATOMIC_RELEASE);
	if (old)
		tp_free(old);
}

static void set_len(struct tp_str *s, size_t len)
{
	s->data[len] = '\0';
	s->len = len;
}

/* The first `keep` bytes stay, the `n` bytes follow, which may be the string's own. `s` is sound. */
static int replace_tail(struct tp_str *s, size_t keep, const char *bytes, size_t n)
{
	char *block;
	size_t len, capacity;
	int r;

	if (__builtin_add_overflow(keep, n, &len))
		return tpi_fail(-EOVERFLOW, "a string of %u and %u bytes is too long", (uint64_t)keep, (uint64_t)n);
	if (len <= room(s)) {
		memmove(s->data + keep, bytes, n);
		set_len(s, len);
		return 0;
	}
	r = new_block(s, len, &block, &capacity);
	if (r)
		return r;
	memcpy(block, s->data, keep);
	memcpy(block + keep, bytes, n);
	block[len] = '\0';
	adopt_block(s, block, capacity);
	s->len = len;
	return 0;
}

static int change(struct tp_str *s, bool append, const char *bytes, size_t n)
{
	int r = prepare(s);

	if (r)
		return r;
	if (!bytes && n)
		return tpi_fail(-EINVAL, "there is no text: NULL");
	return replace_tail(s, append ? s->len : 0, bytes ? bytes : "", n);
}

int tp_str_set_n(struct tp_str *s, const char *bytes, size_t n)
{
	return change(s, false, bytes, n);
}

int tp_str_append_n(struct tp_str *s, const char *bytes, size_t n)
{
	return change(s, true, bytes, n);
}

int tp_str_set(struct tp_str *s, const char *text)
{
	return change(s, false, text, text ? strlen(text) : 1);
}

int tp_str_append(struct tp_str *s, const char *text)
{
	return change(s, true, text, text ? strlen(text) : 1);
}

int tp_str_reserve(struct tp_str *s, size_t wanted)
{
	char *block;
	size_t capacity;
	int r = prepare(s);

	if (r || wanted <= room(s))
		return r;
	r = new_block(s, wanted, &block, &capacity);
	if (r)
		return r;
	memcpy(block, s->data, s->len + 1);
	adopt_block(s, block, capacity);
	return 0;
}

void tp_str_clear(struct tp_str *s)
{
	if (!s || !s->data)
		tp_str_init(s);
	else
		set_len(s, 0);
}

int tp_str_move(struct tp_str *to, struct tp_str *from)
{
	char *old;
	int r;

	if (to == from)
		return 0;
	r = to ? prepare(from) : not_a_string("NULL");
	if (r)
		return r;
	old = is_local(to) ? NULL : to->data;
	to->len = from->len;
	memcpy(to->local, from->local, sizeof(to->local));
	to->data = is_local(from) ? to->local : from->data;
	tp_str_init(from);
	return old ? tp_free(old) : 0;
}

void tp_str_fini(struct tp_str *s)
{
	if (!s)
		return;
	if (s->data && !is_local(s))
		tp_free(s->data);
	tp_str_init(s);
}
