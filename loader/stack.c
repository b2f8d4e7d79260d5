/* SPDX-License-Identifier: MIT */
/*
 * The initial stack, as execve lays it out. See stack.h.
 *
 * The image is built from both ends of one buffer: the size of every part is known before the first
 * byte is written, the strings go to the top, the vectors to the bottom.
 *
 * Sources: Linux, fs/binfmt_elf.c (create_elf_tables) for the layout and the order of the auxiliary
 * vector, fs/exec.c (bprm_stack_limits) for the limits; the x86-64 psABI, 3.4.1.
 */
#include "stack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>

#include "own-auxv.h"

#ifndef AT_RSEQ_FEATURE_SIZE
#define AT_RSEQ_FEATURE_SIZE 27
#define AT_RSEQ_ALIGN	     28
#endif
#ifndef AT_HWCAP3
#define AT_HWCAP3 29
#define AT_HWCAP4 30
#endif
#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

enum {
	RANDOM_BYTES = 16,
	TOP_WORD = 8,                /* the kernel leaves one zero word above execfn */
	STRING_MAX = 128 << 10,      /* of one string with its NUL */
	ARGS_MIN = 128 << 10,        /* granted whatever the stack limit is */
	ARGS_MAX = 6 << 20,          /* never more than this */
	AUX_MAX = 32,
};

/* A string vector and the bytes of its strings, NULs included. */
struct vector {
	const char *const *item;
	size_t n, bytes;
};

struct layout {
	const struct tp_stack_spec *spec;
	struct vector argv, envp;
	const char *platform;            /* NULL: none */
	size_t execfn_len, platform_len; /* with NUL */
	uint64_t execfn, envs, args, platform_at, random; /* addresses */
	uint64_t aux[AUX_MAX][2];
	size_t naux;
};

static int refuse_size(const char *name, struct tp_error *err, const char *why)
{
	return tp_error_named(err, TP_STATUS_NOT_EXECUTABLE, E2BIG, name,
		"cannot be run: argument list too long: %s", why);
}

static int measure(const char *const *item, const char *name, struct vector *ret_vector,
	struct tp_error *err)
{
	struct vector v = { .item = item };
	size_t len;

	for (; item && item[v.n]; v.n++) {
		len = strlen(item[v.n]) + 1;
		if (len > STRING_MAX)
			return refuse_size(name, err, "one argument or environment variable is "
				"longer than 128 KiB (pass it in a file)");
		v.bytes += len;
	}
	*ret_vector = v;
	return 0;
}

/* What arguments and environment may take of the stack, as execve computes it. */
static uint64_t size_limit(uint64_t stack_limit)
{
	uint64_t limit = stack_limit / 4 < ARGS_MAX ? stack_limit / 4 : ARGS_MAX;

	return limit > ARGS_MIN ? limit : ARGS_MIN;
}

static int check_size(const struct layout *l, const char *name, struct tp_error *err)
{
	uint64_t pointers = (l->argv.n + l->envp.n) * sizeof(char *);
	uint64_t strings = l->argv.bytes + l->envp.bytes + l->execfn_len;

	if (pointers + strings <= size_limit(l->spec->stack_limit))
		return 0;
	return refuse_size(name, err, "arguments and environment need more than a quarter of the "
		"stack limit, or 6 MiB (pass fewer, or raise `ulimit -s`)");
}

static int measure_all(struct layout *l, const char *name, struct tp_error *err)
{
	static const char *const no_arguments[] = { "", NULL };
	const char *const *argv = l->spec->argv;
	const char *platform;
	int ret;

	/* A program without argv[0] has crashed too many programs: execve supplies one, too. */
	if (!argv || !argv[0])
		argv = no_arguments;
	ret = measure(argv, name, &l->argv, err);
	if (ret == 0)
		ret = measure(l->spec->envp, name, &l->envp, err);
	if (ret < 0)
		return ret;
	l->execfn_len = strlen(l->spec->execfn) + 1;
	/* A string of this very image: the kernel's vector may be the one of a host, if this runs in a group itself. */
	platform = (const char *)getauxval(AT_PLATFORM);
	if (platform) {
		l->platform = platform;
		l->platform_len = strlen(platform) + 1;
	}
	return check_size(l, name, err);
}

/* From the top down: a zero word, execfn, environment, arguments; aligned: platform, random. */
static void place_strings(struct layout *l)
{
	uint64_t at = l->spec->top - TOP_WORD;

	at -= l->execfn_len;
	l->execfn = at;
	at -= l->envp.bytes;
	l->envs = at;
	at -= l->argv.bytes;
	l->args = at;
	at &= ~UINT64_C(15);
	at -= l->platform_len;
	l->platform_at = at;
	at -= RANDOM_BYTES;
	l->random = at;
}

static void add(struct layout *l, uint64_t key, uint64_t value)
{
	l->aux[l->naux][0] = key;
	l->aux[l->naux++][1] = value;
}

static void add_present(struct layout *l, uint64_t key, uint64_t value)
{
	if (value)
		add(l, key, value);
}

/* What the kernel told this process, if it did: 0 can be a value. */
static void add_own(struct layout *l, uint64_t key)
{
	uint64_t value;

	if (tpi_own_auxv(key, &value))
		add(l, key, value);
}

static void add_machine(struct layout *l)
{
	add_present(l, AT_SYSINFO_EHDR, l->spec->aux.sysinfo_ehdr);
	add_own(l, AT_MINSIGSTKSZ);
	add_own(l, AT_HWCAP);
	add_own(l, AT_PAGESZ);
	add_own(l, AT_CLKTCK);
}

static void add_program(struct layout *l)
{
	const struct tp_stack_aux *aux = &l->spec->aux;

	add(l, AT_PHDR, aux->phdr);
	add(l, AT_PHENT, aux->phent);
	add(l, AT_PHNUM, aux->phnum);
	add(l, AT_BASE, aux->base);
	add(l, AT_FLAGS, 0);
	add(l, AT_ENTRY, aux->entry);
}

static void add_credentials(struct layout *l)
{
	add_own(l, AT_UID);
	add_own(l, AT_EUID);
	add_own(l, AT_GID);
	add_own(l, AT_EGID);
	add(l, AT_SECURE, 0);
}

static void add_rest(struct layout *l)
{
	add(l, AT_RANDOM, l->random);
	add_own(l, AT_HWCAP2);
	add_own(l, AT_HWCAP3);
	add_own(l, AT_HWCAP4);
	add(l, AT_EXECFN, l->execfn);
	if (l->platform)
		add(l, AT_PLATFORM, l->platform_at);
	add_own(l, AT_RSEQ_FEATURE_SIZE);
	add_own(l, AT_RSEQ_ALIGN);
	add_present(l, TP_AT_TP, l->spec->aux.group);
	add(l, AT_NULL, 0);
}

static void fill_aux(struct layout *l)
{
	add_machine(l);
	add_program(l);
	add_credentials(l);
	add_rest(l);
}

/* Writes pointers to the strings, which lie one behind the other from at on, then NULL. */
static uint64_t *put_pointers(uint64_t *word, const struct vector *v, uint64_t at)
{
	for (size_t i = 0; i < v->n; i++) {
		*word++ = at;
		at += strlen(v->item[i]) + 1;
	}
	*word++ = 0;
	return word;
}

static void put_strings(unsigned char *to, const struct vector *v)
{
	for (size_t i = 0; i < v->n; i++)
		to = (unsigned char *)stpcpy((char *)to, v->item[i]) + 1;
}

static void put_all(const struct layout *l, struct tp_stack *stack)
{
	unsigned char *base = stack->bytes;
	uint64_t *word = (uint64_t *)base;

	*word++ = l->argv.n;
	word = put_pointers(word, &l->argv, l->args);
	word = put_pointers(word, &l->envp, l->envs);
	memcpy(word, l->aux, l->naux * sizeof(l->aux[0]));
	if (l->platform)
		memcpy(base + (l->platform_at - stack->sp), l->platform, l->platform_len);
	put_strings(base + (l->args - stack->sp), &l->argv);
	put_strings(base + (l->envs - stack->sp), &l->envp);
	memcpy(base + (l->execfn - stack->sp), l->spec->execfn, l->execfn_len);
}

static int put_random(const struct layout *l, struct tp_stack *stack)
{
	ssize_t n = getrandom(stack->bytes + (l->random - stack->sp), RANDOM_BYTES, 0);

	return n == RANDOM_BYTES ? 0 : n < 0 ? -errno : -EIO;
}

/* The words below the strings: argc, both vectors with their NULLs, the auxiliary vector. */
static uint64_t stack_pointer(const struct layout *l)
{
	uint64_t words = 1 + l->argv.n + 1 + l->envp.n + 1 + 2 * l->naux;

	return (l->random - words * sizeof(uint64_t)) & ~UINT64_C(15);
}

int tp_stack_build(const struct tp_stack_spec *spec, const char *name, struct tp_stack *ret_stack,
	struct tp_error *err)
{
	struct layout l = { .spec = spec };
	struct tp_stack stack;
	int ret;

	ret = measure_all(&l, name, err);
	if (ret < 0)
		return ret;
	place_strings(&l);
	fill_aux(&l);
	stack.sp = stack_pointer(&l);
	stack.len = spec->top - stack.sp;
	stack.bytes = calloc(1, stack.len);
	if (!stack.bytes)
		return tp_error_named(err, TP_STATUS_OWN, ENOMEM, name,
			"cannot be started: no memory for its initial stack");
	ret = put_random(&l, &stack);
	if (ret < 0) {
		free(stack.bytes);
		return tp_error_named(err, TP_STATUS_OWN, ret, name,
			"cannot be started: no random bytes: %s", tp_errno_words(ret));
	}
	put_all(&l, &stack);
	*ret_stack = stack;
	return 0;
}

void tp_stack_fini(struct tp_stack *stack)
{
	free(stack->bytes);
	*stack = (struct tp_stack){ 0 };
}
