/* SPDX-License-Identifier: MIT */
/*
 * Everything about one group, in the supervisor's own memory.
 *
 *	group ── programs (one array, indexed as the registry): each has the client that launched it
 *	      ── clients (the first is the foreground tprun): each has its output queue and the
 *	         launch that it is half through with
 *	      ── host, segment, slots, names, runtime directory
 */
#ifndef TP_SUPERVISE_GROUP_H
#define TP_SUPERVISE_GROUP_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "supervise/hostlink.h"
#include "supervise/loop.h"
#include "supervise/names.h"
#include "supervise/runtime-dir.h"
#include "supervise/segment.h"
#include "supervise/slots.h"
#include "supervise/supervise.h"

struct tp_client;
struct tp_image_cache;
struct tp_kept;
struct tp_stop;

/* One program, from its launch to the return of its memory. What decides is here; the registry
 * entry is for others. */
struct tp_prog {
	struct tp_watch death; /* the pidfd */
	struct tp_timer retry; /* memory that cannot be returned yet, or an execve under way */
	struct tp_group *group;
	LIST_ENTRY(tp_prog) link;    /* group->live, then group->lingering or group->returning */
	STAILQ_ENTRY(tp_prog) batch; /* reclaim.c */
	uint64_t id;
	uint32_t index, unit;
	uint32_t state; /* enum tp_program_state */
	pid_t pid;
	int wait_status;
	int64_t start_ns, exit_ns;
	const char *name;         /* in group->names; unique until the memory is returned */
	struct tp_client *client; /* NULL: gone */
	uint32_t seq;
	struct tp_range fixed; /* a fixed-address image; len 0: none */
	uint32_t vmas;         /* estimate, counted into group->vmas */
	int32_t backoff_ms;
	uint32_t flavour; /* enum tp_plan_flavour */
	bool linger, own_session, stopped;
	bool satellite;            /* satellites.c: an ordinary process, neither child nor slot */
	LIST_HEAD(, tp_kept) kept; /* fdkeep.c */
	uint32_t nkept;
	bool ended, queued, cleaned; /* reaped; waits in a reclaim batch; its memory is returned */
};

enum { TP_STRAYS_MAX = 128, TP_KEPT_BUCKETS = 1024 };

struct tp_group {
	const struct tp_supervise_opts *opts;
	struct tp_loop loop;
	struct tp_runtime runtime;
	struct tp_seg seg;
	struct tp_slots slots;
	struct tp_names names;
	struct tp_hostlink host;

	int children_fd; /* orphans.c */
	struct tp_image_cache *images;
	struct tp_watch listener, unnamed, signals, front, bell;
	pthread_t bell_thread;
	bool bell_listens, bell_stop;
	struct tp_timer bell_start;
	struct tp_timer scan, end_timer, count_timer;
	struct tp_prog *progs; /* TP_REGISTRY_MAX */
	LIST_HEAD(, tp_prog) live, lingering, returning, satellites;
	uint32_t nlive;
	STAILQ_HEAD(, tp_prog) to_reclaim, reclaiming;
	uint16_t free_index[TP_REGISTRY_MAX]; /* ring, as for units */
	uint32_t index_head, index_free, registry_used;
	uint64_t serial;
	uint16_t *index_of_pid; /* hash of live pids: see registry.c */

	LIST_HEAD(, tp_client) clients, closed;
	uint32_t nclients;
	LIST_HEAD(, tp_stop) stops;
	struct tp_client *first;
	bool first_done; /* the first client wants no more launches */
	bool debug;

	LIST_HEAD(, tp_kept) kept[TP_KEPT_BUCKETS]; /* fdkeep.c */
	LIST_HEAD(, tp_kept) watching;
	uint32_t nkept, nwatching;

	pid_t last_reaped; /* its SIGCHLD may still come */
	pid_t sid;
	int64_t start_ns;
	uint32_t max_maps, vmas, base_vmas;
	int64_t counted_ms;
	bool warned_maps;
	uint32_t warned;           /* TP_WARN_* that people were told of */
	struct tp_range *baseline; /* what the fresh host had mapped */
	uint32_t nbaseline;

	struct tp_timer stray_timer; /* strays.c */
	int64_t stray_pause_ms;
	struct tp_stray {
		uint64_t lo, hi;
		uint64_t serial; /* of the youngest program when it was first seen */
	} strays[TP_STRAYS_MAX];
	uint32_t nstrays;

	int end_stage; /* end.c */
	int64_t forced_ms;
	int exit_status;
};

#endif
