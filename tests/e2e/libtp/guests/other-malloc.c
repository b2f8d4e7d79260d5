/* SPDX-License-Identifier: MIT */
/*
 * other-malloc make          publishes a list of 1,000 blocks of many sizes, and stays
 * other-malloc free          frees them, between blocks of its own malloc, whichever that is
 * other-malloc private       gives tp_free a block of its own malloc
 * other-malloc twice         frees a block twice
 * other-malloc middle        gives tp_free an address within a block
 * other-malloc foreign       gives tp_free a block of the malloc of the maker
 *
 * The wrong ones print what they were told, and find everything as it was.
 */
#include "guest-tp.h"

enum { BLOCKS = 1000 };

struct list {
	void *block[BLOCKS];
	size_t size[BLOCKS];
	void *private_block;
};

static unsigned char pattern(int i)
{
	return (unsigned char)(i * 37 + 11);
}

static void check(const void *p, size_t n, unsigned char c)
{
	for (size_t i = 0; i < n; i++)
		CHECK(((const unsigned char *)p)[i] == c);
}

static void make(void)
{
	struct list *l = (struct list *)tp_calloc(1, sizeof(*l));

	CHECK(l);
	for (int i = 0; i < BLOCKS; i++) {
		l->size[i] = (size_t)i % 100 ? (size_t)i * 3 + 1 : 200000;
		l->block[i] = tp_malloc(l->size[i]);
		CHECK(l->block[i]);
		memset(l->block[i], pattern(i), l->size[i]);
	}
	l->private_block = malloc(100);
	CHECK(l->private_block);
	memset(l->private_block, 5, 100);
	RESULT(tp_publish("list", l, "list@1", TP_PUBLISH_KEEP), 0);
	say("made");
	for (;;)
		pause();
}

static struct list *find(void)
{
	struct tp_name n;

	RESULT(tp_wait("list", "list@1", SOON, &n), 0);
	return (struct list *)n.ptr;
}

static void free_all(void)
{
	struct list *l = find();
	void *own[BLOCKS];

	for (int i = 0; i < BLOCKS; i++) {
		own[i] = malloc(l->size[i]);
		CHECK(own[i]);
		memset(own[i], pattern(i + 1), l->size[i]);
		check(l->block[i], l->size[i], pattern(i));
		RESULT(tp_free(l->block[i]), 0);
		l->block[i] = NULL;
	}
	for (int i = 0; i < BLOCKS; i++) {
		check(own[i], l->size[i], pattern(i + 1));
		free(own[i]);
	}
	RESULT(tp_free(l), 0);
	RESULT(tp_unpublish("list", NULL), -EPERM);
	RESULT(tp_heap_check(), 0);
	say("freed");
}

static void told(int r, const char *what)
{
	printf("%s: %s\n", what, r == -EFAULT ? "EFAULT" : r == -EALREADY ? "EALREADY" : "something else");
	CHECK(tp_why()[0]);
	RESULT(tp_heap_check(), 0);
}

static void wrong(const char *what)
{
	char *p = (char *)tp_malloc(300), *q;
	char *own = (char *)malloc(300);

	CHECK(p && own);
	memset(p, 1, 300);
	memset(own, 2, 300);
	if (strcmp(what, "private") == 0) {
		told(tp_free(own), what);
		check(own, 300, 2);
	} else if (strcmp(what, "middle") == 0) {
		told(tp_free(p + 16), what);
		check(p, 300, 1);
	} else if (strcmp(what, "foreign") == 0) {
		told(tp_free(find()->private_block), what);
		check(find()->private_block, 100, 5);
	} else {
		RESULT(tp_free(p), 0);
		told(tp_free(p), what);
		p = (char *)tp_malloc(300);
		q = (char *)tp_malloc(300);
		CHECK(p && q && p != q);
		RESULT(tp_free(q), 0);
	}
	RESULT(tp_free(p), 0);
	free(own);
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	if (strcmp(argv[1], "make") == 0)
		make();
	else if (strcmp(argv[1], "free") == 0)
		free_all();
	else
		wrong(argv[1]);
	return 0;
}
