/* SPDX-License-Identifier: MIT */
/*
 * Is this process in a group, and as whom?
 *
 * A member finds the segment through its auxiliary vector (TP_AT_TP) and itself through whose slot its first stack lies in. A forked
 * child inherits that vector, but is nobody in the group: its copy of the control block says so, and once the library has attached, the
 * page of its own state is wiped by the fork.
 */
#include <errno.h>
#include <linux/mman.h>
#include <string.h>
#include <sys/auxv.h>

#include "core.h"
#include "lockword.h"
#include "counters.h"
#include "syscall.h"
#include "tp/abi/control.h"
#include <tp/member.h>

#define FEATURES_NEEDED TP_FEATURE_AREAS
#define NO_MEMORY "the kernel has no memory for the table of this process's threads"

union tpi_member_page tpi_member_page __attribute__((aligned(4096)));

/* Outlives the fork: who has been attached and is not now is a forked child. */
static int tried;
static int verdict = -ENOTCONN; /* written by the first; until then, and for who comes meanwhile, no group */

int tpi_check_version(const struct tp_segment *s)
{
	if (s->magic != TP_SEGMENT_MAGIC)
		return tpi_fail(-EPROTO, "what AT_TP points to is no group segment (magic %x)", s->magic);
	if (s->abi_major != TP_ABI_MAJOR)
		return tpi_fail(-EPROTO,
			"the group speaks version %u.%u of the ABI, this program %u.%u: build it again with the group's libtp",
			(uint64_t)s->abi_major, (uint64_t)s->abi_minor, (uint64_t)TP_ABI_MAJOR, (uint64_t)TP_ABI_MINOR);
	if (s->abi_minor < TP_ABI_MINOR)
		return tpi_fail(-EPROTO,
			"the group speaks version %u.%u of the ABI, this program needs %u.%u: start it with a newer tprun",
			(uint64_t)s->abi_major, (uint64_t)s->abi_minor, (uint64_t)TP_ABI_MAJOR, (uint64_t)TP_ABI_MINOR);
	if (FEATURES_NEEDED & ~s->features)
		return tpi_fail(-EPROTO, "the group (ABI %u.%u) lacks features %x that this program (ABI %u.%u) needs",
			(uint64_t)s->abi_major, (uint64_t)s->abi_minor, FEATURES_NEEDED & ~s->features,
			(uint64_t)TP_ABI_MAJOR, (uint64_t)TP_ABI_MINOR);
	return 0;
}

int tpi_connect(struct tp_segment *s, tp_id id)
{
	int r = tpi_check_version(s);

	if (r < 0)
		return r;
	arch_syscall3(ARCH_NR_madvise, (long)&tpi_member_page, sizeof(tpi_member_page), MADV_WIPEONFORK);
	tpi_self.threads = tpi_threads_create();
	if (!tpi_self.threads)
		return tpi_say(-ENOMEM, NO_MEMORY);
	tpi_self.id = id;
	tpi_self.tag = TP_TAG(id);
	tpi_self.index = TP_ID_INDEX(id);
	tpi_self.entry = (struct tp_program *)((char *)s + TP_SEGMENT_REGISTRY_OFF) + TP_ID_INDEX(id);
	tpi_self.satellite = tpi_self.entry->kind == TP_KIND_SATELLITE;
	tpi_counters_begin(s);
	__atomic_store_n(&tried, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&tpi_self.segment, s, __ATOMIC_RELEASE);
	__atomic_store_n(&tpi_self.lock_reach, tpi_lock_reach(s), __ATOMIC_RELEASE);
	return 0;
}

/* No other thread is in a call. */
void tpi_disconnect(void)
{
	__atomic_store_n(&tpi_self.segment, NULL, __ATOMIC_RELEASE);
	tpi_heap_drop_parts();
	tpi_heap_forget();
	tpi_chan_forget_process();
	tpi_threads_destroy(tpi_self.threads);
	memset(&tpi_member_page, 0, sizeof(tpi_member_page));
	verdict = -ENOTCONN;
}

/* As the loader made us: where the random bytes lie is the first stack, and that lies in the slot. */
static int attach_as_member(void)
{
	struct tp_segment *s = (struct tp_segment *)getauxval(TP_AT_TP);
	uint64_t stack = getauxval(AT_RANDOM);
	const struct tp_control *control = (const struct tp_control *)TP_UNIT_BASE(TP_UNIT_OF(stack));
	tp_id id;
	int r;

	if (!s || TP_UNIT_OF(stack) >= TP_UNITS)
		return -ENOTCONN;
	r = tpi_check_version(s);
	if (r < 0)
		return r;
	id = s->owner[TP_UNIT_OF(stack)];
	if (id <= TP_OWNER_RESERVED || control->magic != TP_CONTROL_MAGIC || control->alone)
		return -ENOTCONN;
	return tpi_connect(s, control->id);
}

/*
 * One thread alone is the first, and it is the constructor's but for constructors of libraries that come before it. Whoever calls while that one
 * attaches is told that there is no group yet: waiting could be for ever, in a signal handler.
 */
int tpi_ready_slow(void)
{
	int r;

	if (!__atomic_exchange_n(&tried, 1, __ATOMIC_ACQ_REL))
		__atomic_store_n(&verdict, attach_as_member(), __ATOMIC_RELEASE);
	if (__atomic_load_n(&tpi_self.segment, __ATOMIC_ACQUIRE))
		return 0;
	r = __atomic_load_n(&verdict, __ATOMIC_ACQUIRE);
	if (r == -EPROTO && tpi_check_version((const struct tp_segment *)getauxval(TP_AT_TP)) < 0)
		return r;
	if (r == -ENOMEM)
		return tpi_say(r, NO_MEMORY);
	return tpi_say(-ENOTCONN, TPI_NO_GROUP);
}

/* Before any thread: then no other can find the state half made. */
__attribute__((constructor)) static void attach_at_start(void)
{
	tpi_ready();
}

static bool running(uint32_t state)
{
	return state == TP_PROGRAM_STARTING || state == TP_PROGRAM_RUNNING;
}

/*
 * The entry may change hands between two looks: what was read is the id's own if the id is still there afterwards. Partner:
 * tp_registry_publish, which stores id 0 before it touches anything else. The state is loaded with acquire, which keeps the second look
 * behind it.
 */
static bool runs_as(const struct tp_program *e, tp_id id)
{
	return running(__atomic_load_n(&e->state, __ATOMIC_ACQUIRE)) && __atomic_load_n(&e->id, __ATOMIC_RELAXED) == id;
}

bool tpi_alive(tp_id id)
{
	const struct tp_program *e = tpi_entry(TP_ID_INDEX(id) % TP_REGISTRY_MAX);

	return __atomic_load_n(&e->id, __ATOMIC_ACQUIRE) == id && runs_as(e, id);
}

tp_id tpi_tag_id(uint32_t tag)
{
	const struct tp_program *e = tpi_entry(TP_TAG_INDEX(tag));
	tp_id id = __atomic_load_n(&e->id, __ATOMIC_ACQUIRE);

	return tag && TP_TAG(id) == tag && runs_as(e, id) ? id : 0;
}

bool tpi_tag_alive(uint32_t tag)
{
	return tpi_tag_id(tag) != 0;
}

int tp_connected(void)
{
	return tpi_ready();
}

int tp_self(tp_id *ret_id)
{
	int r = tpi_ready_for(ret_id);

	if (!r)
		*ret_id = tpi_self.id;
	return r;
}

const char *tp_version(void)
{
	return "0.1.0";
}
