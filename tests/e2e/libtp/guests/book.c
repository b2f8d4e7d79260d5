/* SPDX-License-Identifier: MIT */
/*
 * book publish TYPE VALUE    "book" of that type, and stays
 * book find TYPE             prints the value, or what the look-up said
 * book any                   the same for whichever was published last
 * book connect               what tp_connected says
 */
#include "guest-tp.h"

static void publish(const char *type, uint64_t value)
{
	uint64_t *p = (uint64_t *)tp_malloc(sizeof(*p));

	CHECK(p);
	*p = value;
	RESULT(tp_publish("book", p, type, 0), 0);
	say("published");
	for (;;)
		pause();
}

static void find(const char *type)
{
	struct tp_name n;
	int r = tp_lookup("book", type, &n);

	if (r == 0)
		printf("%s %lu\n", n.type, (unsigned long)*(uint64_t *)n.ptr);
	else
		printf("%s: %s\n", r == -EPROTOTYPE ? "EPROTOTYPE" : r == -ENOENT ? "ENOENT" : "other", tp_why());
}

int main(int argc, char **argv)
{
	CHECK(argc >= 2);
	if (strcmp(argv[1], "publish") == 0) {
		publish(argv[2], strtoull(argv[3], NULL, 10));
	} else if (strcmp(argv[1], "connect") == 0) {
		int r = tp_connected();

		printf("%d: %s\n", r == -EPROTO ? 71 : r, r ? tp_why() : "");
		CHECK(r != 0 || tp_malloc(10));
		CHECK(r == 0 || !tp_malloc(10));
	} else {
		find(argc > 2 ? argv[2] : NULL);
	}
	return 0;
}
