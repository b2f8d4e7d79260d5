/* SPDX-License-Identifier: MIT */
/*
 * See fds.h. Beside the supervisor's copy, put notes (key, descriptor) in the program's registry
 * entry, where there is room for a few: enough for the programs that cannot reach the supervisor,
 * which are rare.
 *
 * The note's fd is stored before its key (release), and the key is cleared first; a reader that
 * meets a note in between gets another descriptor of the same program at worst, as it does when the
 * program closes one without dropping it.
 */
#include <errno.h>

#include "fds.h"
#include "link.h"
#include "syscall.h"

static const uint64_t watch_key = UINT64_C(0x7461776300000000);

static int call(struct tp_wire_key *m, uint32_t type, int fd, struct tpi_link_reply *ret)
{
	return tpi_link_call(m, sizeof(*m), type, fd, ret);
}

/* Errors that say: there is no supervisor for this program. */
static bool unreachable(int error)
{
	return error == -ENOENT || error == -ENXIO || error == -ECONNREFUSED || error == -EACCES ||
	       error == -EPERM || error == -EPIPE;
}

static bool note(uint64_t key, int fd)
{
	struct tp_noted_fd *n = tpi_self.entry->noted;

	for (int i = 0; i < TP_NOTED_FDS; i++) {
		int32_t free = 0;

		if (__atomic_compare_exchange_n(
			    &n[i].fd, &free, fd + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
			__atomic_store_n(&n[i].key, key,
				__ATOMIC_RELEASE); /* partner: the acquire in noted() */
			return true;
		}
	}
	return false;
}

static void forget(uint64_t key)
{
	struct tp_noted_fd *n = tpi_self.entry->noted;

	for (int i = 0; i < TP_NOTED_FDS; i++)
		if (__atomic_load_n(&n[i].key, __ATOMIC_RELAXED) == key) {
			__atomic_store_n(&n[i].key, 0, __ATOMIC_RELAXED);
			__atomic_store_n(&n[i].fd, 0, __ATOMIC_RELEASE);
		}
}

static int noted(const struct tp_program *e, uint64_t key)
{
	for (int i = 0; i < TP_NOTED_FDS; i++)
		if (__atomic_load_n(&e->noted[i].key, __ATOMIC_ACQUIRE) == key)
			return __atomic_load_n(&e->noted[i].fd, __ATOMIC_RELAXED) - 1;
	return -ENOENT;
}

static int put(uint64_t key, int fd, uint32_t type)
{
	struct tp_wire_key m = {.key = key};
	struct tpi_link_reply reply;

	return call(&m, type, fd, &reply);
}

int tpi_fds_put(uint64_t key, int fd)
{
	int r;

	forget(key);
	r = put(key, fd, TP_WIRE_FD_PUT);
	return note(key, fd) && unreachable(r) ? 0 : r;
}

/* The owner is asked who it is after the pidfd was opened: the pid was its own then. */
static int copy_from(tp_id owner, uint64_t key)
{
	const struct tp_program *e = tpi_entry(TP_ID_INDEX(owner) % TP_REGISTRY_MAX);
	int pidfd, theirs = noted(e, key), fd;

	if (theirs < 0)
		return theirs;
	pidfd = (int)arch_syscall3(ARCH_NR_pidfd_open, e->pid, 0, 0);
	if (pidfd < 0)
		return pidfd;
	fd = tpi_alive(owner) ? (int)arch_syscall3(ARCH_NR_pidfd_getfd, pidfd, theirs, 0) : -ENOENT;
	tpi_link_close(pidfd);
	return fd;
}

int tpi_fds_get(uint64_t key, tp_id owner)
{
	struct tp_wire_key m = {.key = key, .owner = owner};
	struct tpi_link_reply reply;
	int r = call(&m, TP_WIRE_FD_GET, -1, &reply);

	if (!r && reply.fd[0] >= 0)
		return reply.fd[0];
	r = r ? r : -EPROTO;
	if (unreachable(r)) {
		int fd = copy_from(owner, key);

		if (fd >= 0)
			return fd;
	}
	return r;
}

static void drop(uint64_t key)
{
	struct tp_wire_key m = {.key = key};
	struct tpi_link_reply reply;

	call(&m, TP_WIRE_FD_DROP, -1, &reply);
}

void tpi_fds_drop(uint64_t key)
{
	forget(key);
	drop(key);
}

int tpi_fds_watch(int eventfd)
{
	return put(watch_key | (uint32_t)eventfd, eventfd, TP_WIRE_WATCH);
}

void tpi_fds_unwatch(int eventfd)
{
	drop(watch_key | (uint32_t)eventfd);
}
