/* SPDX-License-Identifier: MIT */
/*
 * The function is written by hand in both libcs, with the same instructions:
 *
 *	entry:	mov (%rdi),%eax                the cancellation flag
 *		test..; jne do_cancel
 *		mov %rdi,%r11                  from here to the call: `shuffle`
 *		mov %rsi,%rax                  the number
 *		mov %rdx,%rdi                  arguments 1 to 4
 *		mov %rcx,%rsi
 *		mov %r8,%rdx
 *		mov %r9,%r10
 *		mov 8(%rsp),%r8                arguments 5 and 6
 *		mov 16(%rsp),%r9
 *		mov %r11,8(%rsp)
 *		syscall
 *
 * The stub does the same shuffle, lets the routine look at the call, and undoes it. The flag's address is
 * kept in the red zone meanwhile, which the routine steps over.
 */
#include "bridge.h"

#define ENTRY_MAX 24 /* bytes from the entry to the shuffle */
#define CALL_LEN 5

static const uint8_t shuffle[] = {
	0x49, 0x89, 0xfb, 0x48, 0x89, 0xf0, 0x48, 0x89, 0xd7, 0x48, 0x89, 0xce, 0x4c, 0x89, 0xc2, 0x4d, 0x89,
	0xca, 0x4c, 0x8b, 0x44, 0x24, 0x08, 0x4c, 0x8b, 0x4c, 0x24, 0x10, 0x4c, 0x89, 0x5c, 0x24, 0x08,
};

static const uint8_t enter[] = {
	0x48, 0x89, 0x7c, 0x24, 0xf8, /* mov %rdi,-8(%rsp) */
	0x48, 0x89, 0xf0,	      /* mov %rsi,%rax */
	0x48, 0x89, 0xd7,	      /* mov %rdx,%rdi */
	0x48, 0x89, 0xce,	      /* mov %rcx,%rsi */
	0x4c, 0x89, 0xc2,	      /* mov %r8,%rdx */
	0x4d, 0x89, 0xca,	      /* mov %r9,%r10 */
	0x4c, 0x8b, 0x44, 0x24, 0x08, /* mov 8(%rsp),%r8 */
	0x4c, 0x8b, 0x4c, 0x24, 0x10, /* mov 16(%rsp),%r9 */
};

static const uint8_t leave[] = {
	0xc3,			      /* ret: the routine has answered */
	0x4d, 0x89, 0xd1,	      /* mov %r10,%r9 */
	0x49, 0x89, 0xd0,	      /* mov %rdx,%r8 */
	0x48, 0x89, 0xf1,	      /* mov %rsi,%rcx */
	0x48, 0x89, 0xfa,	      /* mov %rdi,%rdx */
	0x48, 0x89, 0xc6,	      /* mov %rax,%rsi */
	0x48, 0x8b, 0x7c, 0x24, 0xf8, /* mov -8(%rsp),%rdi */
};

_Static_assert(sizeof(enter) <= ARCH_SITE_BYTES && sizeof(leave) <= ARCH_SITE_BYTES, "site has no room");

static bool same(const uint8_t *a, const uint8_t *b, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		if (a[k] != b[k])
			return false;
	}
	return true;
}

/* The nearest `mov (%rdi),%eax` in front of the shuffle. */
size_t arch_bridge_entry(struct arch_text text, size_t call)
{
	size_t at;

	if (call < sizeof(shuffle) + ENTRY_MAX ||
	    !same(text.p + call - sizeof(shuffle), shuffle, sizeof(shuffle)))
		return SIZE_MAX;
	for (at = call - sizeof(shuffle); at > call - sizeof(shuffle) - ENTRY_MAX; at--) {
		if (text.p[at] == 0x8b && text.p[at + 1] == 0x07)
			return at;
	}
	return SIZE_MAX;
}

static void fill(uint8_t *to, const uint8_t *from, size_t n)
{
	for (size_t k = 0; k < n; k++)
		to[k] = from[k];
}

void arch_bridge_take(struct arch_site *s, size_t entry, size_t caller)
{
	s->kind = ARCH_SITE_BRIDGE;
	s->off = caller;
	s->len = CALL_LEN;
	s->resume = entry;
	s->pre_len = sizeof(enter);
	s->post_len = sizeof(leave);
	fill(s->pre, enter, sizeof(enter));
	fill(s->post, leave, sizeof(leave));
}
