/* SPDX-License-Identifier: MIT */
/*
 * The child between its clone and its first instruction. It is a task of its own already: what goes wrong here ends this
 * program, with the stage in its registry entry, and nobody else.
 *
 * It may use system calls and its own control area; there is no libc, no TLS, and no signal handler yet.
 */
#include "host.h"

#include <linux/futex.h>
#include <linux/prctl.h>

#define AS_NR 9
#define DATA_NR 2
#define SIGKILL_NR 9
#define SIGSTOP_NR 19

static _Noreturn void give_up(const struct tpi_birth *b, uint32_t stage, long error, uint32_t detail)
{
	struct tp_program *p = b->control->program;

	p->start_detail = detail;
	p->start_stage = stage;
	__atomic_store_n(&p->start_error, (int32_t)error, __ATOMIC_RELEASE);
	for (;;)
		arch_syscall3(ARCH_NR_exit_group, 125, 0, 0);
}

static void must(const struct tpi_birth *b, uint32_t stage, long result, uint32_t detail)
{
	if (tpi_failed(result))
		give_up(b, stage, result, detail);
}

static void fill_stack(const struct tpi_birth *b)
{
	const struct tp_host_launch *l = b->launch;
	uint64_t done = 0;

	if (l->fd_stack < 0) {
		memcpy((void *)l->stack_image_at, b->stack_image, l->stack_image_len);
		return;
	}
	while (done < l->stack_image_len) {
		long r = arch_syscall6(ARCH_NR_pread64, b->fds[l->fd_stack], (long)(l->stack_image_at + done),
				       (long)(l->stack_image_len - done), (long)done, 0, 0);

		if (r <= 0)
			give_up(b, TP_STAGE_CHILD_STACK, r ? r : -EIO, 0);
		done += (uint64_t)r;
	}
}

static void prepare_images(const struct tpi_birth *b)
{
	const struct tp_host_launch *l = b->launch;

	for (uint32_t i = 0; i < l->nmaps; i++) {
		const struct tp_host_map *m = &b->maps[i];

		if (m->fd >= 0 && (m->prot & PROT_WRITE) && m->len <= TPI_POPULATE_MAX)
			tpi_populate(m->addr, m->len);
		if (m->zero_len)
			memset((void *)m->zero_at, 0, m->zero_len);
	}
	for (uint32_t i = 0; i < l->nimages; i++)
		if (l->images[i].scan != TP_SCAN_NO && l->images[i].nmaps && i + 1 != b->shared_image)
			tpi_patch_image(b->control, &l->images[i], b->maps, b->fds[l->images[i].fd]);
}

static void enter_directories(const struct tpi_birth *b)
{
	const struct tp_host_launch *l = b->launch;

	if (l->fd_root >= 0)
		must(b, TP_STAGE_CHILD_ROOT, tpi_enter_root(b->fds[l->fd_root]), 0);
	if (l->fd_cwd >= 0)
		must(b, TP_STAGE_CHILD_CWD, arch_syscall3(ARCH_NR_fchdir, b->fds[l->fd_cwd], 0, 0), 0);
}

static void set_limits(const struct tpi_birth *b)
{
	const struct tp_host_launch *l = b->launch;

	for (uint32_t r = 0; r < TP_RLIMITS; r++)
		if ((l->rlimit_set >> r & 1) && r != AS_NR && r != DATA_NR)
			must(b, TP_STAGE_CHILD_RLIMIT,
			     arch_syscall6(ARCH_NR_prlimit64, 0, r, (long)l->rlimits[r], 0, 0, 0), r);
	if (l->flags & TP_LAUNCH_SETNICE)
		must(b, TP_STAGE_CHILD_NICE, arch_syscall3(ARCH_NR_setpriority, 0, 0, l->nice), 0);
}

static void join_session(const struct tpi_birth *b)
{
	const struct tp_host_launch *l = b->launch;
	enum { TIOCSCTTY_NR = 0x540e };

	if (l->flags & TP_LAUNCH_NEW_SESSION)
		must(b, TP_STAGE_CHILD_SESSION, arch_syscall3(ARCH_NR_setsid, 0, 0, 0), 0);
	else if (l->flags & TP_LAUNCH_SETPGID)
		must(b, TP_STAGE_CHILD_SESSION, arch_syscall3(ARCH_NR_setpgid, 0, l->pgid, 0), 1);
	if (l->flags & TP_LAUNCH_CTTY)
		must(b, TP_STAGE_CHILD_TTY, arch_syscall3(ARCH_NR_ioctl, 0, TIOCSCTTY_NR, 0), 0);
}

static void set_signals(const struct tp_host_launch *l)
{
	struct {
		uint64_t handler, flags, restorer, mask;
	} ignore = { 1, 0, 0, 0 };
	enum { SETMASK = 2 };

	for (int s = 1; s <= 64; s++)
		if ((l->sigignore >> (s - 1) & 1) && s != SIGKILL_NR && s != SIGSTOP_NR)
			arch_syscall6(ARCH_NR_rt_sigaction, s, (long)&ignore, 0, 8, 0, 0);
	tpi_fatal_install(l->sigignore);
	arch_syscall6(ARCH_NR_rt_sigprocmask, SETMASK, (long)&l->sigmask, 0, 8, 0, 0);
}

/*
 * Partners: those who wait for arrivals; and count_watchers in loader/supervise/fdkeep.c: the state is stored before `watchers` is read
 * (both seq_cst), so that whoever watches, and did not find this program running, is told.
 */
static void arrive(struct tp_program *p)
{
	uint32_t starting = TP_PROGRAM_STARTING;

	__atomic_store_n(&p->started, 1, __ATOMIC_RELEASE);
	__atomic_compare_exchange_n(&p->state, &starting, TP_PROGRAM_RUNNING, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
	__atomic_fetch_add(&TPI_SEGMENT->arrivals, 1, __ATOMIC_SEQ_CST);
	arch_syscall6(ARCH_NR_futex, (long)&TPI_SEGMENT->arrivals, FUTEX_WAKE, INT32_MAX, 0, 0, 0);
	if (__atomic_load_n(&TPI_SEGMENT->watchers, __ATOMIC_SEQ_CST))
		tpi_doorbell(p, TP_EVENT_STARTED);
}

void tpi_birth(void *birth)
{
	const struct tpi_birth *b = birth;
	const struct tp_host_launch *l = b->launch;

	fill_stack(b);
	if (b->control->rlimit_data[0] != UINT64_MAX)
		tpi_data_start(b->control);
	prepare_images(b);
	enter_directories(b);
	tpi_install_descriptors(b, give_up);
	join_session(b);
	arch_syscall3(ARCH_NR_umask, l->umask, 0, 0);
	set_limits(b);
	arch_syscall3(ARCH_NR_prctl, PR_SET_NAME, (long)l->comm, 0);
	arch_start_thread_pointer();
	b->control->program->pid = (int32_t)arch_syscall3(ARCH_NR_getpid, 0, 0, 0);
	arrive(b->control->program);
	set_signals(l);
	arch_jump(l->entry, l->sp);
}
