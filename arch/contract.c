/* SPDX-License-Identifier: MIT */
/*
 * What an architecture must offer, as code that compiles only if it does: every function with its exact type, every constant
 * and every member that code outside arch/ uses. Built for each processor; nothing here ever runs. What each is for, and in
 * which order to write them, is in PORTING.md; the sections here are its sections.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "addresses.h"
#include "cache.h"
#include "context.h"
#include "copy.h"
#include "count.h"
#include "earlyinit.h"
#include "elfarch.h"
#include "elfcode.h"
#include "file.h"
#include "plan.h"
#include "relax.h"
#include "reloc.h"
#include "sigaction.h"
#include "sites.h"
#include "stub.h"
#include "syscall.h"
#include "tls.h"
#include "tp/abi/layout.h"
#include "tp/abi/routed.h"

#define OFFERS(name, type) _Static_assert(__builtin_types_compatible_p(__typeof__(&(name)), type), #name " has another type")
#define MEMBER(s, m, type) _Static_assert(__builtin_types_compatible_p(__typeof__(((s *)0)->m), type), #s "." #m " has another type")

/* 1. The kernel: its calls, and what it fills in. */
OFFERS(arch_syscall6, long (*)(long, long, long, long, long, long, long));
OFFERS(arch_syscall3, long (*)(long, long, long, long));

/* A routed call that the processor has is known by name, with the number of the table; one that it has not has no name. */
enum {
#define NUMBER(name, x86_64, aarch64) TABLE_##name = ARCH_ROUTED(x86_64, aarch64),
	TP_ROUTED_CALLS(NUMBER)
#undef NUMBER
};
#define IN_TABLE(name) _Static_assert(ARCH_NR_##name == TABLE_##name, "the table's number of " #name)
IN_TABLE(mmap);
IN_TABLE(munmap);
IN_TABLE(mremap);
IN_TABLE(brk);
IN_TABLE(mprotect);
IN_TABLE(shmat);
IN_TABLE(shmdt);
IN_TABLE(io_setup);
IN_TABLE(io_destroy);
IN_TABLE(readlinkat);
IN_TABLE(openat);
IN_TABLE(rt_sigaction);
IN_TABLE(clone);
IN_TABLE(clone3);
IN_TABLE(execve);
IN_TABLE(execveat);
IN_TABLE(prlimit64);
IN_TABLE(setrlimit);
IN_TABLE(getrlimit);
IN_TABLE(prctl);
IN_TABLE(mlockall);
IN_TABLE(munlockall);

OFFERS(arch_stat_key, uint64_t (*)(const uint64_t *, int));
OFFERS(arch_stat_size, uint64_t (*)(const struct arch_stat *));
OFFERS(arch_stat_changed, int64_t (*)(const struct arch_stat *));
OFFERS(arch_stat_private, bool (*)(const struct arch_stat *, uint32_t));
_Static_assert(ARCH_O_NOFOLLOW > 0, "openat can be told not to follow links");

/* 2. Memory, waiting, threads. */
OFFERS(arch_relax, void (*)(void));
OFFERS(arch_copy, void (*)(void *, const void *, size_t));
OFFERS(arch_fill, void (*)(void *, int, size_t));
OFFERS(arch_count_up, void (*)(int32_t *));
OFFERS(arch_count_down, bool (*)(int32_t *));
OFFERS(arch_sync_code, void (*)(uint64_t, uint64_t));
OFFERS(arch_thread_pointer, uintptr_t (*)(void));
OFFERS(arch_is_thread_pointer, bool (*)(uintptr_t));
OFFERS(arch_start_thread_pointer, void (*)(void));

/* 3. The address space. */
static const uint32_t reserved[][2] = ARCH_UNITS_RESERVED;
_Static_assert(ARCH_USER_END >= UINT64_C(1) << 47, "the units of a group need 47 bits");
_Static_assert(sizeof(reserved) >= sizeof(reserved[0]), "some units are never given to programs");
_Static_assert(ARCH_MAP_32BIT >= 0, "a flag of mmap, or 0");

/* 4. ELF. */
static const struct {
	uint32_t bit, name;
} features[] = ARCH_ELF_FEATURES;
static const uint8_t pause_code[] = ARCH_CODE_PAUSE;
_Static_assert(ARCH_ELF_MACHINE > 0 && sizeof(ARCH_ELF_MACHINE_NAME) > 1, "a machine and its name");
_Static_assert(ARCH_ELF_FEATURE_AND >= 0xc0000000, "a processor-specific property");
_Static_assert(sizeof(features) > 0 && sizeof(pause_code) > 0 && ARCH_CODE_PAUSE_CALL >= 0, "tests assemble programs");
_Static_assert(ARCH_R_GLOB_DAT > 0, "the relocation of a GOT slot");

/* 5. Into C and out of it (enter.S). */
void arch_route_enter(void);
long arch_clone3(void *args, size_t size, void (*fn)(void *), void *arg);
long arch_clone(unsigned long flags, void *stack, int *pidfd, void (*fn)(void *), void *arg);
_Noreturn void arch_jump(uint64_t entry, uint64_t sp);
OFFERS(arch_sigreturn, void (*)(void));
MEMBER(struct arch_frame, arg, uint64_t[6]);
MEMBER(struct arch_frame, nr, uint64_t);
MEMBER(struct arch_outcome, result, int64_t);
MEMBER(struct arch_outcome, verdict, uint64_t);
MEMBER(struct arch_sigaction, handler, uint64_t);
MEMBER(struct arch_sigaction, flags, uint64_t);
MEMBER(struct arch_sigaction, restorer, uint64_t);
_Static_assert(ARCH_ROUTE_DONE == 0 && ARCH_ROUTE_RAW == 1 && ARCH_ROUTE_SWITCH == 2, "enter.S knows them by number");
_Static_assert(sizeof(struct arch_outcome) == 16, "returned in two registers");
_Static_assert(ARCH_SA_RESTORER == 0x04000000u || ARCH_SA_RESTORER == 0, "the kernel's flag, or it has none");

/* 6. System-call sites and stubs. */
OFFERS(arch_scan_want_routed, void (*)(struct arch_scan_opts *));
OFFERS(arch_sites_scan, size_t (*)(const uint8_t *, size_t, const struct arch_scan_opts *, struct arch_site *, size_t,
				   struct arch_scan_result *));
OFFERS(arch_stub_write, uint64_t (*)(uint8_t *, uint64_t, const struct arch_site *, uint64_t, uint64_t, uint64_t));
OFFERS(arch_site_redirect, void (*)(uint8_t *, const struct arch_site *, uint64_t, uint64_t));
MEMBER(struct arch_site, off, uint64_t);
MEMBER(struct arch_site, call, uint64_t);
MEMBER(struct arch_site, resume, uint64_t);
MEMBER(struct arch_site, nr, int32_t);
MEMBER(struct arch_site, kind, uint8_t);
MEMBER(struct arch_site, len, uint8_t);
MEMBER(struct arch_scan_result, calls, size_t);
MEMBER(struct arch_scan_result, stuck, size_t);
_Static_assert(ARCH_SITE_CALL == 1 && ARCH_SITE_KEEP == 2 && ARCH_SITE_STUCK == 3 && ARCH_SITE_BRIDGE == 4, "kinds of sites");
_Static_assert(ARCH_NR_UNKNOWN == -1, "a number that could not be proved");
_Static_assert(ARCH_STUB_MAX % 8 == 0, "stubs lie one behind the other");
_Static_assert(TP_SLOT_NEAR - TP_SLOT_OWN_STUBS < ARCH_STUB_REACH, "interpreter and libc lie within reach of their stubs");
_Static_assert(sizeof(struct arch_site) % 8 == 0, "remembered in a file of 64-bit words");

/* 7. The single-thread flag of glibc. */
OFFERS(arch_early_init_patches, int (*)(const struct arch_early_init *, struct arch_patch *, size_t, size_t *));
OFFERS(arch_static_flag_find, int (*)(const uint8_t *, size_t, uint64_t, uint64_t *));
MEMBER(struct arch_patch, off, uint64_t);
MEMBER(struct arch_patch, len, uint8_t);

/* All of it by address, so that a link shows what is declared and not there. */
const void *const arch_contract[];
const void *const arch_contract[] = {
	arch_route_enter, arch_clone3, arch_clone, arch_jump, arch_sigreturn, arch_scan_want_routed, arch_sites_scan,
	arch_stub_write, arch_site_redirect, arch_early_init_patches, arch_static_flag_find, reserved, features, pause_code,
};
