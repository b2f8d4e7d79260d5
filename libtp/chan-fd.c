/* SPDX-License-Identifier: MIT */
/*
 * Channels in epoll, poll and select loops.
 *
 * The consumer's eventfd is handed to producers by the supervisor, on the first occasion that one has to ring it; a producer keeps what it
 * got. It is written only while the consumer has said that it waits (TP_CHAN_FD), so a busy channel makes no system calls.
 *
 *	sender                                 consumer (tp_chan_arm)
 *	slot = message          (release)      read the eventfd empty
 *	light fence                            attention: armed count + 1, FD       (seq_cst)
 *	attention has FD?       (relaxed)      heavy fence
 *	  write the eventfd                    any message? then disarm, do not wait
 *	  CAS attention: without FD            wait for the eventfd
 *
 * The bit is cleared AFTER the write: a sender that is killed before the write leaves the bit for the next one. It is cleared only if the
 * consumer has not armed again meanwhile, which the count in the word tells. The message of that killed sender itself is announced by
 * the supervisor, which writes the eventfd at each death (tpi_fds_watch).
 *
 * Known weakness: a producer that cannot get the descriptor (its limit of open files is reached, or the supervisor cannot be reached)
 * says so once on stderr; the consumer then hears of its messages with the next event only.
 */
#include <sys/eventfd.h>

#include "chan.h"
#include "counters.h"
#include "fds.h"
#include "spin.h"
#include "syscall.h"

enum { FDS = sizeof(((struct tpi_chan_process *)0)->fds) / sizeof(((struct tpi_chan_process *)0)->fds[0]) };

static const uint64_t key_base = UINT64_C(0x6368616e) << 32;

static void close_fd(int fd)
{
	arch_syscall3(ARCH_NR_close, fd, 0, 0);
}

/* Under the lock. */
static int cached_fd(struct tpi_chan_process *p, uint64_t owner, uint64_t key)
{
	uint32_t at;
	int fd;

	for (uint32_t i = 0; i < FDS; i++)
		if (p->fds[i].key == key && p->fds[i].owner == owner)
			return p->fds[i].fd;
	fd = tpi_fds_get(key, owner);
	if (fd < 0)
		return fd;
	at = p->fd_next++ % FDS;
	if (p->fds[at].key)
		close_fd(p->fds[at].fd);
	p->fds[at].owner = owner;
	p->fds[at].key = key;
	p->fds[at].fd = fd;
	return fd;
}

void tpi_chan_close_fds(struct tpi_chan_process *p)
{
	for (uint32_t i = 0; i < FDS; i++)
		if (p->fds[i].key)
			close_fd(p->fds[i].fd);
}

static void write_one(int fd)
{
	uint64_t one = 1;

	arch_syscall3(ARCH_NR_write, fd, (long)&one, sizeof(one));
}

void tpi_chan_ring_fd(struct tp_chan *c, uint32_t attention)
{
	struct tpi_chan_process *p = tpi_chan_process();
	uint64_t owner = c->consumer_id, key = __atomic_load_n(&c->fd_key, __ATOMIC_ACQUIRE);
	int fd;

	/* Of a dead consumer: its successor has one of its own, or none. */
	if (!p || !key || !tpi_alive(owner))
		return;
	tpi_spin_lock(&p->fd_lock);
	fd = cached_fd(p, owner, key);
	if (fd >= 0)
		write_one(fd);
	tpi_spin_unlock(&p->fd_lock);
	if (fd < 0) {
		static uint32_t said;

		tpi_count_error(TP_CALL_SEND, fd);
		if (tpi_alive(owner) && !__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
			tpi_complain("channel %s: its consumer waits in poll and cannot be woken: no descriptor (error %d)",
				c->name, (int64_t)-fd);
		return;
	}
	__atomic_compare_exchange_n(&c->attention, &attention, attention & ~TP_CHAN_FD, false,
		__ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

int tp_chan_fd(struct tp_chan *c)
{
	struct tpi_chan_process *p = tpi_chan_process();
	int r = tpi_chan_mine(c);
	uint64_t key;
	int fd;

	if (r < 0)
		return r;
	if (c->fd)
		return c->fd - 1;
	if (!p)
		return -ENOMEM;
	fd = (int)arch_syscall3(ARCH_NR_eventfd2, 0, EFD_CLOEXEC | EFD_NONBLOCK, 0);
	if (fd < 0)
		return tpi_fail(fd, "channel %s: no eventfd", c->name);
	key = key_base | __atomic_add_fetch(&p->fd_keys, 1, __ATOMIC_RELAXED);
	r = tpi_fds_put(key, fd);
	if (r == 0) {
		r = tpi_fds_watch(fd);
		if (r < 0)
			tpi_fds_drop(key);
	}
	if (r < 0) {
		close_fd(fd);
		return r;
	}
	c->fd = fd + 1;
	__atomic_store_n(&c->fd_key, key, __ATOMIC_RELEASE); /* partner: the acquire in tpi_chan_ring_fd; FD is set later still */
	return fd;
}

void tpi_chan_drop_fd(struct tp_chan *c)
{
	if (!c->fd)
		return;
	tpi_fds_unwatch(c->fd - 1);
	tpi_fds_drop(c->fd_key);
	close_fd(c->fd - 1);
	c->fd = 0;
}

static void arm(struct tp_chan *c)
{
	uint32_t old = __atomic_load_n(&c->attention, __ATOMIC_RELAXED);

	while (!__atomic_compare_exchange_n(&c->attention, &old, (old + TP_CHAN_ARMED_ONE) | TP_CHAN_FD, false,
		__ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		;
	tpi_chan_heavy_fence(); /* partner: the light fence in lane-send.c, the fence in tpi_chan_changed */
}

int tp_chan_arm(struct tp_chan *c)
{
	uint64_t count;
	int r = tpi_chan_mine(c);

	if (r < 0)
		return r;
	if (!c->fd)
		return tpi_fail(-EINVAL, "channel %s has no eventfd yet: call tp_chan_fd first", c->name);
	arch_syscall3(ARCH_NR_read, c->fd - 1, (long)&count, sizeof(count));
	arm(c);
	if (!tpi_chan_has_news(c))
		return 0;
	__atomic_fetch_and(&c->attention, ~TP_CHAN_FD, __ATOMIC_RELAXED);
	return 1;
}
