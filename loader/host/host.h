/* SPDX-License-Identifier: MIT */
/*
 * The host: the process whose address space is the group's. Freestanding; no libc, no TLS, no allocation, little state.
 *
 * Its code runs in three kinds of tasks:
 *   the host itself          main.c launch.c reclaim.c channel.c
 *   a program being born     child.c patch.c image.c           (a crash here ends that program only)
 *   any program, any thread  route.c and what it calls         (lock-free, little stack: half a KiB, some 3 KiB where a
 *                            library's text is looked through; no globals but read-mostly ones)
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cache.h"
#include "context.h"
#include "sigaction.h"
#include "syscall.h"
#include "tls.h"
#include "tp/abi/control.h"
#include "tp/abi/hostmsg.h"
#include "tp/abi/segment.h"

/* The kernel's constants; libc headers would bring libc's functions with them. */
#include <linux/mman.h>
#include <linux/errno.h>

#define TPI_SEGMENT ((struct tp_segment *)TP_SEGMENT_BASE)
#define TPI_REGISTRY ((struct tp_program *)(TP_SEGMENT_BASE + TP_SEGMENT_REGISTRY_OFF))

static inline bool tpi_failed(long r)
{
	return (unsigned long)r > -4096UL;
}

static inline uint64_t tpi_page_up(uint64_t n)
{
	return (n + TP_PAGE_SIZE - 1) & ~(TP_PAGE_SIZE - 1);
}

/* mem.c: what compilers call on their own, and little else */
void *memcpy(void *dst, const void *src, size_t n);
void *memset(void *dst, int c, size_t n);
void *memmove(void *dst, const void *src, size_t n);
int memcmp(const void *a, const void *b, size_t n);
size_t tpi_strlen(const char *s);
bool tpi_streq(const char *a, const char *b);

/* All that is declared from here on is found without a table of addresses, which somebody would have to relocate. */
#pragma GCC visibility push(hidden)

/* syscall.h of the architecture, typed */
static inline long tpi_mmap(uint64_t addr, uint64_t len, long prot, long flags, long fd, uint64_t off)
{
	return arch_syscall6(ARCH_NR_mmap, (long)addr, (long)len, prot, flags, fd, (long)off);
}

static inline long tpi_munmap(uint64_t addr, uint64_t len)
{
	return arch_syscall3(ARCH_NR_munmap, (long)addr, (long)len, 0);
}

static inline long tpi_mprotect(uint64_t addr, uint64_t len, long prot)
{
	return arch_syscall3(ARCH_NR_mprotect, (long)addr, (long)len, prot);
}

static inline long tpi_madvise(uint64_t addr, uint64_t len, long advice)
{
	return arch_syscall3(ARCH_NR_madvise, (long)addr, (long)len, advice);
}

static inline long tpi_close(int fd)
{
	return arch_syscall3(ARCH_NR_close, fd, 0, 0);
}

#define TPI_AT_FDCWD (-100)
/* Private copies of pages that will be written anyway (map.c tells why). Before Linux 5.14 it does nothing. */
#define TPI_POPULATE_MAX UINT64_C(0x10000)
static inline void tpi_populate(uint64_t addr, uint64_t len)
{
	tpi_madvise(addr, len, MADV_POPULATE_WRITE);
}

#define TPI_MAP_ANON (MAP_PRIVATE | MAP_ANONYMOUS)

/* main.c */
extern uint32_t tpi_can_patch;

/* channel.c */
#define TPI_FDS_MAX 4096
struct tpi_request {
	struct tp_host_head *head; /* TP_HOST_MESSAGE_MAX bytes */
	uint32_t nfds;
	int fds[TPI_FDS_MAX];
};
long tpi_channel_receive(struct tpi_request *rq, uint32_t fds_wanted);
void tpi_channel_send(const void *message, uint32_t len);

/* launch.c, reclaim.c */
void tpi_launch(struct tpi_request *rq, struct tp_host_result *ret_result);
void tpi_reclaim(const struct tp_host_reclaim *rq, struct tp_host_result *ret_result);

/* child.c */
struct tpi_birth {
	struct tp_control *control;
	const struct tp_host_launch *launch; /* the copy in the program's control area */
	const struct tp_host_map *maps;
	const int32_t *targets;
	const uint8_t *stack_image;
	uint32_t nfds;
	uint32_t shared_image; /* index + 1 of the image whose text is a shared copy; 0: none */
	const int *fds; /* the copy in the program's control area */
};
void tpi_birth(void *birth);

/* descriptors.c: the caller's descriptors at their numbers, and no others */
void tpi_install_descriptors(const struct tpi_birth *b,
			     void (*give_up)(const struct tpi_birth *b, uint32_t stage, long error, uint32_t detail));

/* root.c */
long tpi_enter_root(int fd);

/* pages.c: which pages of a unit are spoken for */
uint64_t *tpi_bitmap(uint64_t unit_base);
bool tpi_pages_claim(uint64_t *bitmap, uint32_t first, uint32_t n);
uint32_t tpi_pages_set(uint64_t *bitmap, uint32_t first, uint32_t n);
uint32_t tpi_pages_clear(uint64_t *bitmap, uint32_t first, uint32_t n);
uint32_t tpi_pages_find(const uint64_t *bitmap, uint32_t from, uint32_t to, uint32_t n, uint32_t align);
bool tpi_page_test(const uint64_t *bitmap, uint32_t page);
uint32_t tpi_pages_next(const uint64_t *bitmap, uint32_t from, uint32_t to, bool set);

/* hints.c: where a search may start */
struct tpi_hint {
	uint32_t page;	/* no free run of the wanted kind starts below */
	uint32_t frees; /* as it was then */
	uint32_t n, align;
};
struct tpi_hint tpi_hint_get(const struct tp_hints *h, uint32_t n, uint32_t align);
void tpi_hint_raise(struct tp_hints *h, const struct tpi_hint *had, uint32_t page);
void tpi_hint_freed(struct tp_hints *h, uint32_t page);
bool tpi_hint_claim(struct tp_hints *h, uint64_t *bitmap, uint32_t page, uint32_t n);

/* space.c: finding room for a mapping in a program's units */
enum tpi_zone { TPI_ZONE_NEAR, TPI_ZONE_MMAP };
uint64_t tpi_space_take(struct tp_control *c, enum tpi_zone zone, uint64_t len, uint64_t align);
bool tpi_space_take_at(struct tp_control *c, uint64_t addr, uint64_t len);
void tpi_space_set(struct tp_control *c, uint64_t addr, uint64_t len);
void tpi_space_give(struct tp_control *c, uint64_t addr, uint64_t len);
bool tpi_space_own(const struct tp_control *c, uint64_t addr, uint64_t len);
bool tpi_space_foreign(const struct tp_control *c, uint64_t addr, uint64_t len);
void tpi_space_dirty(struct tp_control *c, uint64_t addr);
bool tpi_space_over(const struct tp_control *c, uint64_t more);

/* data.c: RLIMIT_DATA of the program */
void tpi_data_start(struct tp_control *c);
bool tpi_data_over(const struct tp_control *c, uint64_t more);
void tpi_data_note(struct tp_control *c, uint64_t addr, uint64_t len, bool counts);

/* outside.c: mappings outside the units, recorded before they are made */
void tpi_outside_add(struct tp_program *p, uint64_t addr, uint64_t len);
void tpi_outside_remove(struct tp_program *p, uint64_t addr, uint64_t len);

/* The routed calls. Each returns what the kernel would. */
struct arch_outcome tpi_route(struct tp_control *c, struct arch_frame *f);
long tpi_route_mmap(struct tp_control *c, const struct arch_frame *f);
struct arch_outcome tpi_route_munmap(struct tp_control *c, struct arch_frame *f);
long tpi_route_mremap(struct tp_control *c, const struct arch_frame *f);
long tpi_route_brk(struct tp_control *c, uint64_t want);
long tpi_route_mprotect(struct tp_control *c, const struct arch_frame *f);
long tpi_route_shmat(struct tp_control *c, const struct arch_frame *f);
long tpi_route_shmdt(struct tp_control *c, const struct arch_frame *f);
long tpi_route_io_setup(struct tp_control *c, const struct arch_frame *f);
long tpi_route_io_destroy(struct tp_control *c, const struct arch_frame *f);
long tpi_route_readlink(struct tp_control *c, int dirfd, const char *path, char *buf, long size, bool at);
struct arch_outcome tpi_route_open(struct tp_control *c, struct arch_frame *f, unsigned path_arg);
struct arch_outcome tpi_route_exec(struct tp_control *c, struct arch_frame *f, unsigned path_arg);
void tpi_fork_unmark(const struct tp_control *c);
struct arch_outcome tpi_route_fork(struct tp_control *c, struct arch_frame *f);
struct arch_outcome tpi_route_limits(struct tp_control *c, struct arch_frame *f);
struct arch_outcome tpi_route_prctl(struct tp_control *c, struct arch_frame *f);
long tpi_route_mlockall(struct tp_control *c, long flags);
long tpi_route_munlockall(struct tp_control *c);

long tpi_route_sigaction(struct tp_control *c, const struct arch_frame *f);

/* fatal.c: before the program's first instruction */
void tpi_fatal_install(uint64_t ignored);

static inline struct arch_outcome tpi_done(long result)
{
	return (struct arch_outcome){ result, ARCH_ROUTE_DONE };
}

static inline struct arch_outcome tpi_raw(void)
{
	return (struct arch_outcome){ 0, ARCH_ROUTE_RAW };
}

/* exe.c: neither a forked nor a vfork child of it */
bool tpi_is_program_itself(const struct tp_control *c);

/* peek.c: may a byte that a program's pointer names be read without a fault? */
bool tpi_peek_ok(const struct tp_control *c, const void *p);
/* Memory of the address space of `pid` that may be gone, or going: the kernel copies. All of it, or false. */
bool tpi_copy_safely(long pid, void *to, uint64_t from, uint64_t n);

/* doorbell.c */
void tpi_doorbell(struct tp_program *p, uint32_t event);
void tpi_warn(struct tp_control *c, uint32_t warnings);

/* patch.c: rewriting an image's text */
void tpi_patch_image(struct tp_control *c, const struct tp_host_image *image, const struct tp_host_map *maps, int fd);
void tpi_patch_mapped(struct tp_control *c, uint64_t text, uint64_t len, int fd, uint64_t off);

/* enter.S */
void arch_route_enter(void);
long arch_clone3(void *args, size_t size, void (*fn)(void *), void *arg);
long arch_clone(unsigned long flags, void *stack, int *pidfd, void (*fn)(void *), void *arg);
_Noreturn void arch_jump(uint64_t entry, uint64_t sp);
_Noreturn void tpi_host_main(uint64_t *sp);
