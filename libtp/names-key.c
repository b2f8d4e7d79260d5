/* SPDX-License-Identifier: MIT */
/* A name and a type as the table keeps them: 63 bytes at most, padded with zeros, compared and hashed by words. */
#include <errno.h>
#include <string.h>

#include "names.h"
#include "words.h"

enum { SIZE = 8 * TP_NAMES_WORDS };

_Static_assert(SIZE == TP_NAME_LENGTH_MAX + 1 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words hold a name as it stands in memory");

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

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

static uint64_t gather_bytes(const char *text)
{
	uint64_t word = 0;

	for (int i = 0; i < 8 && text[i]; i++)
		word |= (uint64_t)(unsigned char)text[i] << 8 * i;
	return word;
}

/*
 * Up to eight bytes, and zeros from the string's end on. Reads a whole word where that cannot leave the page, though perhaps the string:
 * by bytes it takes three times as long, and what memcpy stores cannot be read back as words without a stall.
 */
__attribute__((no_sanitize("address", "thread"))) static uint64_t gather(const char *text)
{
	uint64_t word, zero;

	if (tpi_unlikely((uintptr_t)text % TP_PAGE_SIZE > TP_PAGE_SIZE - 8))
		return gather_bytes(text);
	/* Not through a function: that would have its own sanitizer. */
	word = ((const struct arch_word *)(const void *)text)->v;
	zero = zero_bytes(word);
	return zero ? word & (((zero & -zero) >> 7) - 1) : word;
}

/* Return: whether the words hold all of it. */
static bool gather_all(const char *text, uint64_t words[TP_NAMES_WORDS], bool *ret_bad)
{
	bool bad = false, ended = false;

	for (int i = 0; i < TP_NAMES_WORDS && !ended; i++) {
		words[i] = gather(text + 8 * i);
		bad |= has_control_character(words[i]);
		ended = words[i] >> 56 == 0;
	}
	*ret_bad = bad;
	return ended;
}

static int make_words(const char *what, const char *text, uint64_t ret_words[TP_NAMES_WORDS])
{
	bool bad, whole;

	if (!text)
		return tpi_fail(-EINVAL, "a %s is needed, not NULL", what);
	memset(ret_words, 0, SIZE);
	whole = gather_all(text, ret_words, &bad);
	if (!ret_words[0])
		return tpi_fail(-EINVAL, "an empty %s", what);
	if (!whole)
		return tpi_fail(-EINVAL, "a %s of more than %u bytes", what, (uint64_t)TP_NAME_LENGTH_MAX);
	return bad ? tpi_fail(-EINVAL, "a %s with control characters", what) : 0;
}

static uint64_t fold(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* No name has a zero byte in it, so the first word that is zero ends it. */
uint64_t tpi_name_hash(const uint64_t words[TP_NAMES_WORDS])
{
	uint64_t h = UINT64_C(0x9e3779b97f4a7c15);

	for (int i = 0; i < TP_NAMES_WORDS && words[i]; i++)
		h = fold(h ^ words[i], UINT64_C(0xd6e8feb86659fd93)) + UINT64_C(0xa0761d6478bd642f);
	return fold(h, UINT64_C(0xe7037ed1a0b428db));
}

int tpi_name_key(const char *name, const char *type, struct tpi_name_key *ret_key)
{
	int r = make_words("name", name, ret_key->name);

	if (r < 0)
		return r;
	ret_key->any_type = !type;
	if (type) {
		r = make_words("type", type, ret_key->type);
		if (r < 0)
			return r;
	}
	ret_key->hash = tpi_name_hash(ret_key->name);
	return 0;
}
