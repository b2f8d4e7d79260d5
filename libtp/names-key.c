/* SPDX-License-Identifier: MIT */
/* A name and a type as words, which is how they are kept, compared and hashed: 63 bytes at most, and zeros. */
#include <errno.h>
#include <string.h>

#include "names.h"
#include "words.h"

enum { SIZE = 8 * TP_NAMES_WORDS };

_Static_assert(SIZE == TP_NAME_LENGTH_MAX + 1 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words hold a name as it stands in memory");

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* The lowest bit that is set belongs to the first byte that is 0; those above it may be wrong. */
static inline uint64_t first_zero(uint64_t word)
{
	return (word - EACH(0x01)) & ~word & EACH(0x80);
}

static uint32_t gather_bytes(const char *text, uint64_t words[TP_NAMES_WORDS])
{
	for (uint32_t i = 0; i < 8 * TP_NAMES_WORDS; i++) {
		if (i % 8 == 0)
			words[i / 8] = 0;
		words[i / 8] |= (uint64_t)(unsigned char)text[i] << i % 8 * 8;
		if (!text[i])
			return i / 8 + 1;
	}
	return 0;
}

/*
 * The words of a text, with zeros from its end on. Return: how many; 0: it is too long. Reads whole words where that cannot leave the page,
 * though perhaps the string: by bytes it takes three times as long.
 */
__attribute__((no_sanitize("address", "thread"))) static inline uint32_t gather(const char *text, uint64_t words[TP_NAMES_WORDS])
{
	if (tpi_unlikely((uintptr_t)text % TP_PAGE_SIZE > TP_PAGE_SIZE - 8 * TP_NAMES_WORDS))
		return gather_bytes(text, words);
	for (uint32_t i = 0; i < TP_NAMES_WORDS; i++) {
		/* Not through a function: that would have its own sanitizer. */
		uint64_t word = ((const struct arch_word *)(const void *)(text + 8 * i))->v, zero = first_zero(word);

		words[i] = word;
		if (zero) {
			words[i] = word & (((zero & -zero) >> 7) - 1);
			return i + 1;
		}
	}
	return 0;
}

__attribute__((cold, noinline)) static int bad_text(const char *what, const char *text)
{
	if (!text)
		return tpi_fail(-EINVAL, "a %s is needed, not NULL", what);
	if (!*text)
		return tpi_fail(-EINVAL, "an empty %s", what);
	return tpi_fail(-EINVAL, "a %s of more than %u bytes", what, (uint64_t)TP_NAME_LENGTH_MAX);
}

static uint64_t fold(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* No name has a zero byte in it, so a word that is zero ends it. */
uint64_t tpi_name_hash(const uint64_t *words, uint32_t n)
{
	uint64_t h = UINT64_C(0x9e3779b97f4a7c15);

	for (uint32_t i = 0; i < n && words[i]; i++)
		h = fold(h ^ words[i], UINT64_C(0xd6e8feb86659fd93)) + UINT64_C(0xa0761d6478bd642f);
	return fold(h, UINT64_C(0xe7037ed1a0b428db));
}

int tpi_name_key(const char *name, const char *type, struct tpi_name_key *key)
{
	for (int i = 0; i < TP_NAMES_SHORT; i++)
		key->words[i] = 0;
	key->nname = name ? gather(name, key->words) : 0;
	if (tpi_unlikely(!key->nname || !key->words[0]))
		return bad_text("name", name);
	key->any_type = !type;
	key->ntype = type ? gather(type, key->words + key->nname) : 0;
	if (tpi_unlikely(type && (!key->ntype || !tpi_key_type(key)[0])))
		return bad_text("type", type);
	key->hash = tpi_name_hash(key->words, key->nname);
	return 0;
}

/* Eight bytes at a time, without carries from one to the next. Bit 7 of each byte that is 0. */
static uint64_t zero_bytes(uint64_t word)
{
	return ~(((word & EACH(0x7f)) + EACH(0x7f)) | word) & EACH(0x80);
}

/* Bytes below 0x20 other than the padding's zeros, and 0x7f. */
static bool has_control_character(uint64_t word)
{
	uint64_t low = word & EACH(0x7f);
	uint64_t below_space = ~((low + EACH(0x60)) | word) & EACH(0x80);
	uint64_t delete = (low + EACH(0x01)) & ~word & EACH(0x80);

	return (below_space & ~zero_bytes(word)) | delete;
}

static bool is_plain(const uint64_t *words, uint32_t n)
{
	uint64_t high = 0;

	for (uint32_t i = 0; i < n; i++)
		high |= words[i] & EACH(0x80);
	return !high;
}

/* What follows the first byte of a character, and the least that needs so many bytes. */
struct utf8_form {
	uint8_t more;
	uint8_t bits; /* of the first byte */
	uint32_t least;
};

static bool utf8_form(uint8_t first, struct utf8_form *ret)
{
	if (first >= 0xc2 && first <= 0xdf)
		*ret = (struct utf8_form){1, first & 0x1f, 0x80};
	else if (first >= 0xe0 && first <= 0xef)
		*ret = (struct utf8_form){2, first & 0x0f, 0x800};
	else if (first >= 0xf0 && first <= 0xf4)
		*ret = (struct utf8_form){3, first & 0x07, 0x10000};
	else
		return false;
	return true;
}

/* Of more than one byte: the character, and *at is moved on; 0: that is none. The text's zero is no byte of a character. */
static uint32_t utf8_character(const uint8_t **at)
{
	struct utf8_form form;
	uint32_t c;

	if (!utf8_form(*(*at)++, &form))
		return 0;
	c = form.bits;
	for (; form.more; form.more--) {
		if ((**at & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (*(*at)++ & 0x3f);
	}
	return c < form.least || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff) ? 0 : c;
}

static int check_utf8(const char *what, const uint8_t *text)
{
	while (*text) {
		uint32_t c = *text;

		if (c < 0x80) {
			text++;
			continue;
		}
		c = utf8_character(&text);
		if (!c)
			return tpi_fail(-EINVAL, "a %s that is not UTF-8", what);
		if (c < 0xa0)
			return tpi_fail(-EINVAL, "a %s with control characters", what);
	}
	return 0;
}

static int legible(const char *what, const uint64_t *words, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (has_control_character(words[i]))
			return tpi_fail(-EINVAL, "a %s with control characters", what);
	return is_plain(words, n) ? 0 : check_utf8(what, (const uint8_t *)words);
}

int tpi_name_legible(const struct tpi_name_key *key)
{
	int r = legible("name", key->words, key->nname);

	return r < 0 ? r : legible("type", tpi_key_type(key), key->ntype);
}
