/* SPDX-License-Identifier: MIT */
/*
 * The group's handler for signals that would kill a program with a core dump, installed before its first instruction and
 * invisible to it: the routed rt_sigaction shows it as SIG_DFL and turns SIG_DFL back into it. Routing keeps no state, for
 * a vfork child shares this memory and not the signal table.
 *
 * The handler notes what happened in the registry, keeps the other programs' memory out of the core, restores SIG_DFL and
 * queues the very same signal again: the program then dies of it as it would have alone, with the exact status.
 */
#include "host.h"

#define SA_SIGINFO_FLAG 0x4u
#define SA_ONSTACK_FLAG 0x08000000u
#define SIGNALS_MASK	((UINT64_C(1) << (4 - 1)) | (UINT64_C(1) << (6 - 1)) | (UINT64_C(1) << (7 - 1)) | \
			 (UINT64_C(1) << (8 - 1)) | (UINT64_C(1) << (11 - 1)) | (UINT64_C(1) << (31 - 1)))
/*	                ILL 4, ABRT 6, BUS 7, FPE 8, SEGV 11, SYS 31 */
#define DUMP_WAIT_NS	10000000
#define DUMP_ROUNDS	500

struct signal_info { /* siginfo_t, as far as it is used */
	int32_t signo, error, code, pad;
	uint64_t addr;
	uint64_t rest[13];
};

/*
 * Thread id of the program that dies. It keeps the lock to its death, so that nobody marks its memory while the kernel
 * dumps it; the next to die takes over from a dead holder, and after DUMP_ROUNDS goes on without.
 */

static bool is_fatal(uint64_t signo)
{
	return signo >= 1 && signo <= 64 && (SIGNALS_MASK >> (signo - 1) & 1);
}

static void take_dump_lock(uint32_t me)
{
	struct {
		int64_t sec, nsec;
	} wait = { 0, DUMP_WAIT_NS };

	for (int i = 0; i < DUMP_ROUNDS; i++) {
		uint32_t holder = __atomic_load_n(&TPI_SEGMENT->dump_lock, __ATOMIC_ACQUIRE);

		if ((!holder || arch_syscall3(ARCH_NR_kill, holder, 0, 0) == -ESRCH) &&
		    __atomic_compare_exchange_n(&TPI_SEGMENT->dump_lock, &holder, me, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return;
		arch_syscall6(ARCH_NR_futex, (long)&TPI_SEGMENT->dump_lock, 0 /* FUTEX_WAIT */, holder, (long)&wait, 0, 0);
	}
}

/* The core holds this program and the group segment; the flags are the mappings', so both directions must be set. */
static void select_for_dump(const struct tp_control *c)
{
	for (uint32_t u = 0; u < TP_UNITS; u++) {
		uint64_t owner = __atomic_load_n(&TPI_SEGMENT->owner[u], __ATOMIC_RELAXED);

		if (owner > TP_OWNER_RESERVED)
			tpi_madvise(TP_UNIT_BASE(u), TP_UNIT_SIZE, owner == c->id ? MADV_DODUMP : MADV_DONTDUMP);
	}
}

static struct tp_control *control_of(uint64_t pid)
{
	for (uint32_t i = 0; i < TP_REGISTRY_MAX; i++) {
		struct tp_program *p = TPI_REGISTRY + i;
		struct tp_control *c = (struct tp_control *)TP_UNIT_BASE(p->unit);

		if ((uint64_t)p->pid == pid && p->started && p->state <= TP_PROGRAM_RUNNING && p->state != TP_PROGRAM_FREE)
			return c->alone ? NULL : c;
	}
	return NULL;
}

static void note(struct tp_program *p, const struct signal_info *info, uint32_t tid)
{
	p->fatal_addr = info->code > 0 ? info->addr : 0;
	p->fatal_tid = tid;
	__atomic_store_n(&p->fatal_signal, (uint32_t)info->signo, __ATOMIC_RELEASE);
	tpi_doorbell(p, TP_EVENT_FATAL);
}

static void fatal(int signo, struct signal_info *info, void *context)
{
	struct arch_sigaction dfl = { 0 };
	long pid = arch_syscall3(ARCH_NR_getpid, 0, 0, 0), tid = arch_syscall3(ARCH_NR_gettid, 0, 0, 0);
	struct tp_control *c = control_of((uint64_t)pid); /* NULL in children: they die alone */

	(void)context;
	if (c) {
		take_dump_lock((uint32_t)tid);
		select_for_dump(c);
		note(c->program, info, (uint32_t)tid);
	}
	arch_syscall6(ARCH_NR_rt_sigaction, signo, (long)&dfl, 0, 8, 0, 0);
	if (arch_syscall6(ARCH_NR_rt_tgsigqueueinfo, pid, tid, signo, (long)info, 0, 0))
		arch_syscall3(ARCH_NR_tgkill, pid, tid, signo);
}

static struct arch_sigaction host_action(void)
{
	return (struct arch_sigaction){
		.handler = (uint64_t)fatal,
		.flags = SA_SIGINFO_FLAG | SA_ONSTACK_FLAG | ARCH_SA_RESTORER,
		.restorer = (uint64_t)arch_sigreturn,
	};
}

void tpi_fatal_install(uint64_t ignored)
{
	struct arch_sigaction a = host_action();

	for (int s = 1; s <= 31; s++)
		if (is_fatal((uint64_t)s) && !(ignored >> (s - 1) & 1))
			arch_syscall6(ARCH_NR_rt_sigaction, s, (long)&a, 0, 8, 0, 0);
}

long tpi_route_sigaction(struct tp_control *c, const struct arch_frame *f)
{
	const struct arch_sigaction *act = (const struct arch_sigaction *)f->arg[1];
	struct arch_sigaction *old = (struct arch_sigaction *)f->arg[2], ours = host_action();
	long r;

	if (is_fatal(f->arg[0]) && act && tpi_peek_ok(c, act) && act->handler == 0)
		act = &ours;
	r = arch_syscall6(ARCH_NR_rt_sigaction, (long)f->arg[0], (long)act, (long)old, (long)f->arg[3], 0, 0);
	if (!r && old && old->handler == ours.handler)
		*old = (struct arch_sigaction){ 0 };
	return r;
}
