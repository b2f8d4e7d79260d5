/* SPDX-License-Identifier: MIT */
/*
 * Satellites: ordinary processes that map the group segment, at its one address.
 *
 * What is mapped comes from the supervisor, as descriptors; so does the size of the heap. The
 * header's own size is compared with the file's before it is believed: any program can write it.
 *
 * A forked child of a program or satellite has inherited the segment. It maps the same files over
 * it, which changes nothing, or those of a later group.
 */
#include <errno.h>
#include <linux/mman.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "counters.h"
#include "groups.h"
#include "library.h"
#include "link.h"
#include "probes.h"
#include "segment-map.h"
#include "syscall.h"
#include <tp/member.h>

/* Both outlive a fork, as the mappings do. */
static int mapped_here;
static int gone; /* it was mapped, whoever mapped it, and is not any more */

static bool inherited(void)
{
	return !__atomic_load_n(&gone, __ATOMIC_RELAXED) && (mapped_here || getauxval(TP_AT_TP) == TP_SEGMENT_BASE);
}

static int close_both(struct tpi_link_reply *reply, int result)
{
	tpi_link_close(reply->fd[0]);
	tpi_link_close(reply->fd[1]);
	return result;
}

static int ask(int sock, struct tpi_link_reply *reply)
{
	struct tp_wire_attach m = {
		.abi_major = TP_ABI_MAJOR, .abi_minor = TP_ABI_MINOR, .features = TP_FEATURE_AREAS};
	int r = tpi_link_ask(sock, &m, sizeof(m), TP_WIRE_ATTACH, -1, reply);

	if (r < 0)
		return reply->head.type == TP_WIRE_ERROR ? r : tpi_link_fail(r);
	if (reply->head.type != TP_WIRE_ATTACHED || reply->fd[0] < 0 || reply->fd[1] < 0 ||
		TP_ID_INDEX(reply->attached.id) >= TP_REGISTRY_MAX ||
		reply->attached.heap_size > TP_HEAP_MAX)
		return close_both(reply, tpi_link_fail(-EPROTO));
	return 0;
}

/* The supervisor counts this process in, and it cannot stay. */
static int step_back(int sock, int result)
{
	struct tp_wire_head m;
	struct tpi_link_reply reply;

	tpi_link_ask(sock, &m, sizeof(m), TP_WIRE_DETACH, -1, &reply);
	return result;
}

static int become(int sock)
{
	struct tpi_link_reply reply;
	bool mine = inherited();
	int r = ask(sock, &reply);

	if (r < 0)
		return r;
	r = tpi_segment_map(reply.fd[0], reply.fd[1], reply.attached.heap_size, mine);
	close_both(&reply, 0);
	if (r < 0)
		return step_back(sock, r);
	__atomic_store_n(&mapped_here, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&gone, 0, __ATOMIC_RELAXED);
	r = tpi_connect((struct tp_segment *)TP_SEGMENT_BASE, reply.attached.id);
	if (r < 0) {
		if (!mine) {
			tpi_segment_unmap();
			__atomic_store_n(&gone, 1, __ATOMIC_RELAXED);
		}
		__atomic_store_n(&mapped_here, mine, __ATOMIC_RELAXED);
		return step_back(sock, r);
	}
	TPI_PROBE(attach, tpi_self.id);
	return 0;
}

/* Its parent's group: the segment says where that is. */
static int connect_inherited(void)
{
	const struct tp_segment *s = (const struct tp_segment *)TP_SEGMENT_BASE;
	char path[TP_CONTROL_PATH_MAX];
	int r;

	memcpy(path, s->control, sizeof(path));
	path[sizeof(path) - 1] = '\0';
	r = path[0] ? tpi_link_connect(path) : -ENXIO;
	return r < 0 ? tpi_link_fail(r) : r;
}

static bool is_inherited_group(const char *group)
{
	return inherited() &&
	       (!group || !strncmp(((const struct tp_segment *)TP_SEGMENT_BASE)->group, group,
				  TP_NAME_MAX));
}

int tp_attach(const char *group)
{
	int r = tpi_ready(), sock;

	if (r == 0)
		return tpi_fail(-EISCONN, "this process is %s of group %s already",
			tpi_self.satellite ? "a satellite" : "a program", tpi_self.segment->group);
	if (r != -ENOTCONN)
		return r;
	sock = is_inherited_group(group) ? connect_inherited() : tpi_groups_connect(group);
	if (sock < 0)
		return sock;
	r = become(sock);
	tpi_link_close(sock);
	return r;
}

int tp_detach(void)
{
	struct tp_wire_head m;
	struct tpi_link_reply reply;
	int r = tpi_ready();

	if (r < 0)
		return r;
	if (!tpi_self.satellite)
		return tpi_fail(-EPERM, "a program of the group stays in it until it ends");
	/* Without an answer the group has ended, or finds out when this process does. */
	tpi_link_call(&m, sizeof(m), TP_WIRE_DETACH, -1, &reply);
	tpi_disconnect();
	tpi_segment_unmap();
	__atomic_store_n(&mapped_here, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&gone, 1, __ATOMIC_RELAXED);
	return 0;
}
