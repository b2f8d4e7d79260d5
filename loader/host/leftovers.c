/* SPDX-License-Identifier: MIT */
/*
 * Kernel objects that hang on the address space and would outlive a program: attached SysV segments (at an address of
 * ours, so that the unit's munmap detaches them) and aio contexts (listed in the registry, destroyed after the death).
 */
#include "host.h"

static long segment_size(long id, uint64_t *ret_size)
{
	enum { IPC_STAT_NR = 2 };
	uint64_t stat[16]; /* struct shmid64_ds: 48 bytes of permissions, then the size */
	long r = arch_syscall3(ARCH_NR_shmctl, id, IPC_STAT_NR, (long)stat);

	if (!r)
		*ret_size = stat[6];
	return r;
}

static void shm_note(struct tp_control *c, uint64_t addr, uint64_t len)
{
	for (int i = 0; i < TP_SHM_MAX; i++) {
		uint64_t none = 0;

		if (!__atomic_compare_exchange_n(&c->shm[i].len, &none, len, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		__atomic_store_n(&c->shm[i].addr, addr, __ATOMIC_RELEASE);
		return;
	}
	/* No room: after shmdt the pages stay spoken for until the program ends. */
}

long tpi_route_shmat(struct tp_control *c, const struct arch_frame *f)
{
	long id = (long)f->arg[0], flags = (long)f->arg[2], r;
	uint64_t size = 0, addr = f->arg[1];

	if (addr || segment_size(id, &size) || !size) {
		r = arch_syscall3(ARCH_NR_shmat, id, (long)addr, flags);
		if (!tpi_failed(r) && size)
			tpi_space_set(c, (uint64_t)r, tpi_page_up(size));
		return r;
	}
	size = tpi_page_up(size);
	addr = tpi_space_take(c, TPI_ZONE_MMAP, size, TP_PAGE_SIZE);
	if (!addr)
		return -ENOMEM;
	r = arch_syscall3(ARCH_NR_shmat, id, (long)addr, flags);
	if (tpi_failed(r)) {
		tpi_space_give(c, addr, size);
		return r;
	}
	shm_note(c, addr, size);
	tpi_space_dirty(c, addr);
	return r;
}

long tpi_route_shmdt(struct tp_control *c, const struct arch_frame *f)
{
	uint64_t addr = f->arg[0];
	long r = arch_syscall3(ARCH_NR_shmdt, (long)addr, 0, 0);

	if (r)
		return r;
	for (int i = 0; i < TP_SHM_MAX; i++) {
		uint64_t len = __atomic_load_n(&c->shm[i].len, __ATOMIC_ACQUIRE);

		if (!len || __atomic_load_n(&c->shm[i].addr, __ATOMIC_ACQUIRE) != addr)
			continue;
		__atomic_store_n(&c->shm[i].addr, 0, __ATOMIC_RELEASE);
		__atomic_store_n(&c->shm[i].len, 0, __ATOMIC_RELEASE);
		tpi_space_give(c, addr, len);
		break;
	}
	return r;
}

/* The kernel chooses where the ring lies; destroying the context unmaps it, so the context alone is recorded. */
long tpi_route_io_setup(struct tp_control *c, const struct arch_frame *f)
{
	uint64_t *ctx = (uint64_t *)f->arg[1];
	long r = arch_syscall3(ARCH_NR_io_setup, (long)f->arg[0], (long)ctx, 0);

	if (r || c->alone)
		return r;
	for (int i = 0; i < TP_AIO_MAX; i++) {
		uint64_t none = 0;

		if (__atomic_compare_exchange_n(&c->program->aio[i], &none, *ctx, false, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED)) {
			__atomic_fetch_add(&c->program->aio_n, 1, __ATOMIC_RELAXED);
			return r;
		}
	}
	arch_syscall3(ARCH_NR_io_destroy, (long)*ctx, 0, 0);
	*ctx = 0;
	return -EAGAIN;
}

long tpi_route_io_destroy(struct tp_control *c, const struct arch_frame *f)
{
	uint64_t ctx = f->arg[0];
	long r = arch_syscall3(ARCH_NR_io_destroy, (long)ctx, 0, 0);

	for (int i = 0; !r && !c->alone && i < TP_AIO_MAX; i++) {
		uint64_t mine = ctx;

		if (__atomic_compare_exchange_n(&c->program->aio[i], &mine, 0, false, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED))
			break;
	}
	return r;
}
