/* SPDX-License-Identifier: MIT */
/* A name and a type as the table keeps them: 63 bytes at most, padded with zeros, compared and hashed by words. */
#include <errno.h>
#include <string.h>

#include "names.h"

enum { SIZE = 8 * TP_NAMES_WORDS };

_Static_assert(SIZE == TP_NAME_LENGTH_MAX + 1, "a name fits its words");

/* Over the whole, padding included: a fixed length makes it a few vector instructions. */
static unsigned control_characters(const unsigned char *text)
{
	unsigned n = 0;

	for (int i = 0; i < SIZE; i++)
		n += (text[i] < 0x20) | (text[i] == 0x7f);
	return n;
}

static int make_words(const char *what, const char *text, uint64_t ret_words[TP_NAMES_WORDS])
{
	unsigned char bytes[SIZE] = {0};
	size_t length;

	if (!text)
		return tpi_fail(-EINVAL, "a %s is needed, not NULL", what);
	length = strnlen(text, SIZE);
	if (length == 0)
		return tpi_fail(-EINVAL, "an empty %s", what);
	if (length == SIZE)
		return tpi_fail(-EINVAL, "a %s of more than %u bytes", what, (uint64_t)TP_NAME_LENGTH_MAX);
	memcpy(bytes, text, length);
	if (control_characters(bytes) != SIZE - length)
		return tpi_fail(-EINVAL, "a %s with control characters", what);
	memcpy(ret_words, bytes, SIZE);
	return 0;
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
