/* SPDX-License-Identifier: MIT */
/*
 * Making a program: map its control block, images and stack as the supervisor planned them, then clone it.
 *
 * The host touches none of the mapped pages but its own control block: a file that shrinks or a damaged image can only
 * hurt the child, which does the rest (child.c).
 */
#include "shared.h"

#include <linux/sched.h>

#define CLONE_CLEAR_SIGHAND_FLAG UINT64_C(0x100000000)

struct launch {
	const struct tp_host_launch *in;
	const struct tp_host_map *maps;
	const int32_t *targets;
	const char *exe;
	const uint8_t *stack_image;
	struct tpi_request *rq;
	struct tp_host_result *out;
	uint32_t shared_image; /* index + 1 of the image whose read-only part is a shared copy, which ends at shared_end */
	uint64_t shared_end;
};

static bool fail(struct launch *l, uint32_t stage, long error, uint64_t detail)
{
	l->out->error = (int32_t)error;
	l->out->stage = stage;
	l->out->detail = detail;
	return false;
}

static uint64_t round8(uint64_t n)
{
	return (n + 7) & ~UINT64_C(7);
}

/* The variable parts follow the head; every length is checked against the message's. */
static bool parse(struct launch *l)
{
	const struct tp_host_launch *in = l->in;
	uint64_t at = sizeof(*in), len = in->head.len;

	if (len < sizeof(*in) || in->nmaps > TP_HOST_MAPS_MAX || in->nimages > TP_HOST_IMAGES_MAX ||
	    in->nfds > TPI_FDS_MAX || in->ncaller > in->nfds || in->fd_caller > in->nfds - in->ncaller ||
	    in->exe_len >= TP_PATH_MAX || in->unit >= TP_UNITS || in->registry >= TP_REGISTRY_MAX)
		return fail(l, TP_STAGE_RECEIVE, -EINVAL, 0);
	l->maps = (const void *)((const uint8_t *)in + at);
	at += in->nmaps * sizeof(struct tp_host_map);
	l->targets = (const void *)((const uint8_t *)in + at);
	at += round8(in->ncaller * sizeof(int32_t));
	l->exe = (const char *)in + at;
	at += round8(in->exe_len + 1);
	l->stack_image = (const uint8_t *)in + at;
	if (in->fd_stack < 0)
		at += in->stack_image_len;
	if (at > len)
		return fail(l, TP_STAGE_RECEIVE, -EINVAL, 1);
	return true;
}

static uint64_t base_of(const struct launch *l)
{
	return TP_UNIT_BASE(l->in->unit);
}

static void *move_into(const struct launch *l, const void *p)
{
	return (void *)(base_of(l) + TP_CONTROL_LAUNCH + (uint64_t)((const uint8_t *)p - (const uint8_t *)l->in));
}

static struct tp_program *entry_of(const struct launch *l)
{
	return TPI_REGISTRY + l->in->registry;
}

static bool map_control(struct launch *l)
{
	uint64_t base = base_of(l);
	long r = tpi_mmap(base, TP_SLOT_BITMAP + TP_SLOT_BITMAP_SIZE, PROT_READ | PROT_WRITE,
			  TPI_MAP_ANON | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	struct tp_control *c = (struct tp_control *)base;

	if (tpi_failed(r))
		return fail(l, TP_STAGE_CONTROL, r, 0);
	c->magic = TP_CONTROL_MAGIC;
	c->size = sizeof(*c);
	c->id = l->in->id;
	c->base = base;
	c->limit = base + TP_SLOT_STACK_TOP - TP_SLOT_STACK_RESERVE;
	c->program = entry_of(l);
	c->colour = (uint32_t)((l->in->id * UINT64_C(0x9e3779b97f4a7c15)) >> 54);
	c->brk_start = c->brk_now = base + TP_SLOT_BRK + ((uint64_t)c->colour << TP_PAGE_SHIFT);
	c->dumpable = 1;
	memcpy(c->rlimit_as, l->in->rlimits[9], sizeof(c->rlimit_as));
	memcpy(c->rlimit_data, l->in->rlimits[2], sizeof(c->rlimit_data));
	c->exe_len = l->in->exe_len;
	memcpy(c->exe, l->exe, l->in->exe_len);
	tpi_space_dirty(c, base);
	return true;
}

/* The libc that this interpreter mapped for others is put in place before it asks, where expected.c finds it. */
static void expect_libc(struct launch *l, const struct tpi_text *interp)
{
	struct tp_control *c = (struct tp_control *)base_of(l);
	const struct tpi_text *t = tpi_text_by_number(__atomic_load_n(&interp->libc, __ATOMIC_RELAXED));

	c->interp_facts = tpi_text_number(interp);
	if (!t || !tpi_shared_ready(t) || tpi_failed(tpi_shared_map(t, c->base)))
		return;
	c->libc_head = (struct tp_range){ c->base + tpi_shared_place(t), t->head_len };
	c->libc_facts = tpi_text_number(t);
}

/* The facts about an image's text, if a shared copy of it can take the place of its read-only maps. */
static const struct tpi_text *shared_copy(const struct launch *l, const struct tp_host_image *im)
{
	const struct tpi_text *t;
	struct tpi_file file;

	for (uint32_t i = im->first_map; i < im->first_map + im->nmaps; i++) {
		const struct tp_host_map *m = &l->maps[i];

		if (m->fd < 0 || m->outside || !(m->prot & PROT_EXEC) || !tpi_file_of(l->rq->fds[m->fd], &file))
			continue;
		t = tpi_text_known(&file, m->off);
		return t && tpi_shared_ready(t) && im->bias == base_of(l) + tpi_shared_place(t) ? t : NULL;
	}
	return NULL;
}

static void share_image(struct launch *l, uint32_t image)
{
	const struct tp_host_image *im = &l->in->images[image];
	const struct tpi_text *t = im->scan == TP_SCAN_CALLS ? shared_copy(l, im) : NULL;

	if (!t || tpi_failed(tpi_shared_map_stubs(base_of(l))) || tpi_failed(tpi_shared_map(t, base_of(l))))
		return;
	tpi_space_set((struct tp_control *)base_of(l), im->bias, t->head_len);
	l->shared_image = image + 1;
	l->shared_end = im->bias + t->head_len;
	if (t->warnings)
		entry_of(l)->warnings |= t->warnings;
	expect_libc(l, t);
}

static bool is_shared(const struct launch *l, uint32_t map)
{
	const struct tp_host_image *im = &l->in->images[l->shared_image ? l->shared_image - 1 : 0];

	return l->shared_image && map >= im->first_map && map < im->first_map + im->nmaps && l->maps[map].fd >= 0 &&
	       l->maps[map].addr + l->maps[map].len <= l->shared_end;
}

static bool map_one(struct launch *l, uint32_t i)
{
	const struct tp_host_map *m = &l->maps[i];
	struct tp_control *c = (struct tp_control *)base_of(l);
	long fd = -1, flags = MAP_PRIVATE | MAP_FIXED_NOREPLACE, r;

	if (m->fd >= 0 && (uint32_t)m->fd < l->rq->nfds)
		fd = l->rq->fds[m->fd];
	else
		flags |= MAP_ANONYMOUS;
	if (m->outside)
		tpi_outside_add(c->program, m->addr, m->len);
	else
		tpi_space_set(c, m->addr, m->len);
	r = tpi_mmap(m->addr, m->len, m->prot, flags, fd, m->off);
	if (!tpi_failed(r)) {
		if (m->outside && !c->image.len)
			c->image = (struct tp_range){ m->addr, m->len };
		return true;
	}
	if (m->outside)
		tpi_outside_remove(c->program, m->addr, m->len);
	return fail(l, TP_STAGE_IMAGE, r, i);
}

static bool map_stack(struct launch *l)
{
	long r = tpi_mmap(l->in->stack_top - l->in->stack_len, l->in->stack_len, l->in->stack_prot,
			  TPI_MAP_ANON | MAP_GROWSDOWN | MAP_STACK | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	return tpi_failed(r) ? fail(l, TP_STAGE_STACK, r, 0) : true;
}

/* What the child still needs moves into its own control area: the host's buffer is the next request's. */
static struct tpi_birth *pack(struct launch *l)
{
	uint8_t *at = (uint8_t *)base_of(l) + TP_CONTROL_LAUNCH;
	struct tpi_birth *b = (struct tpi_birth *)((struct tp_control *)base_of(l))->scratch;
	int *fds = (int *)(b + 1);

	memcpy(at, l->in, l->in->head.len);
	*b = (struct tpi_birth){
		.control = (struct tp_control *)base_of(l),
		.launch = (const struct tp_host_launch *)at,
		.maps = move_into(l, l->maps),
		.targets = move_into(l, l->targets),
		.stack_image = move_into(l, l->stack_image),
		.nfds = l->rq->nfds,
		.shared_image = l->shared_image,
		.fds = fds,
	};
	memcpy(fds, l->rq->fds, l->rq->nfds * sizeof(int));
	return b;
}

/*
 * CLONE_PARENT makes the supervisor the parent; the child then inherits the host's exit signal, and giving another is an
 * error. Profiles that refuse clone3 get clone, whose child keeps the host's (all default) signal handlers.
 */
static long birth(struct launch *l, struct tpi_birth *b)
{
	uint64_t flags = CLONE_VM | CLONE_PARENT;
	uint64_t low = l->in->stack_top - l->in->stack_len;
	uint64_t sp = (l->in->stack_image_at - 256) & ~UINT64_C(15);
	struct clone_args a = { 0 };
	long r;

	a.flags = flags | CLONE_CLEAR_SIGHAND_FLAG;
	a.stack = low;
	a.stack_size = sp - low;
	r = arch_clone3(&a, sizeof(a), tpi_birth, b);
	if (r == -ENOSYS || r == -EPERM || r == -EINVAL)
		r = arch_clone(flags, (void *)sp, NULL, tpi_birth, b);
	return r;
}

static void undo(struct launch *l)
{
	tpi_munmap(base_of(l), (uint64_t)l->in->nunits << TP_UNIT_SHIFT);
	for (uint32_t i = 0; i < l->in->nmaps; i++) {
		const struct tp_host_map *m = &l->maps[i];

		if (m->outside && !(l->out->stage == TP_STAGE_IMAGE && i >= l->out->detail)) {
			tpi_munmap(m->addr, m->len);
			tpi_outside_remove(entry_of(l), m->addr, m->len);
		}
	}
}

void tpi_launch(struct tpi_request *rq, struct tp_host_result *ret_result)
{
	struct launch l = { .in = (const struct tp_host_launch *)rq->head, .rq = rq, .out = ret_result };
	long r;

	if (!parse(&l))
		return;
	r = tpi_channel_receive(rq, l.in->nfds);
	if (r < 0 || rq->nfds != l.in->nfds) {
		fail(&l, TP_STAGE_RECEIVE, r < 0 ? r : -EPROTO, rq->nfds);
		return;
	}
	if (!map_control(&l))
		return;
	for (uint32_t i = 0; i < l.in->nimages; i++)
		share_image(&l, i);
	for (uint32_t i = 0; i < l.in->nmaps; i++)
		if (!is_shared(&l, i) && !map_one(&l, i)) {
			undo(&l);
			return;
		}
	if (!map_stack(&l)) {
		undo(&l);
		return;
	}
	r = birth(&l, pack(&l));
	if (r < 0) {
		fail(&l, TP_STAGE_CLONE, r, 0);
		undo(&l);
		return;
	}
	ret_result->value = (uint64_t)r;
}
