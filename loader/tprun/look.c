/* SPDX-License-Identifier: MIT */
/* See look.h. The supervisor hands out the segment and its heap, both opened for reading. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tprun/groups.h"
#include "tprun/look.h"

union control {
	struct cmsghdr head;
	char room[CMSG_SPACE(2 * sizeof(int))];
};

static void take_fds(struct msghdr *msg, int fds[2])
{
	struct cmsghdr *c = CMSG_FIRSTHDR(msg);
	size_t n;

	if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
		return;
	n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	memcpy(fds, CMSG_DATA(c), (n < 2 ? n : 2) * sizeof(int));
}

static int receive(struct tp_client *client, union tp_message *m, int fds[2])
{
	struct iovec iov = {m, sizeof(*m)};
	union control control;
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
	ssize_t n;

	do
		n = recvmsg(client->fd, &msg, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	take_fds(&msg, fds);
	return n >= (ssize_t)sizeof(m->head) && m->head.magic == TP_WIRE_MAGIC && m->head.len == (size_t)n ? 0 : -EPROTO;
}

static void close_fds(const int fds[2])
{
	for (int i = 0; i < 2; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

static int ask(struct tp_client *client, int ret_fds[2], struct tp_error *err)
{
	union tp_message m;
	uint32_t seq;
	int r = tp_client_ask(client, TP_WIRE_LOOK, &seq);

	ret_fds[0] = ret_fds[1] = -1;
	if (!r)
		r = receive(client, &m, ret_fds);
	if (!r && m.head.type == TP_WIRE_ERROR && m.head.len == sizeof(m.error))
		return tp_error_set(err, TP_STATUS_OWN, m.error.error ? m.error.error : -EPROTO, "%.*s",
			(int)strnlen(m.error.text, sizeof(m.error.text)), m.error.text);
	if (!r && (m.head.type != TP_WIRE_ATTACHED || ret_fds[0] < 0 || ret_fds[1] < 0))
		r = -EPROTO;
	if (r) {
		close_fds(ret_fds);
		return tp_error_set(err, TP_STATUS_OWN, r, "the group's shared memory cannot be looked at: %s", tp_errno_words(r));
	}
	return 0;
}

/* What another version of tprun has made is not read wrong. */
static bool is_ours(const struct tp_segment *s, uint64_t size)
{
	return s->magic == TP_SEGMENT_MAGIC && s->abi_major == TP_ABI_MAJOR && (s->features & TP_FEATURE_AREAS) &&
	       s->registry_off == TP_SEGMENT_REGISTRY_OFF && s->registry_stride == sizeof(struct tp_program) &&
	       s->registry_count <= TP_REGISTRY_MAX && TP_SEGMENT_REGISTRY_OFF + TP_REGISTRY_MAX * sizeof(struct tp_program) <= size;
}

static int map(const int fds[2], struct tp_look *ret, struct tp_error *err)
{
	struct tp_look look = {.heap_fd = fds[1]};
	struct stat segment, heap;
	void *at = MAP_FAILED;

	if (fstat(fds[0], &segment) == 0 && fstat(fds[1], &heap) == 0 && segment.st_size >= (off_t)sizeof(struct tp_segment))
		at = mmap(NULL, (size_t)segment.st_size, PROT_READ, MAP_SHARED | MAP_NORESERVE, fds[0], 0);
	if (at == MAP_FAILED)
		return tp_error_set(err, TP_STATUS_OWN, errno, "the group's shared memory cannot be mapped: %s", tp_errno_words(errno));
	look.segment = at;
	look.size = (uint64_t)segment.st_size;
	look.heap_size = (uint64_t)heap.st_size;
	if (!is_ours(look.segment, look.size)) {
		munmap(at, (size_t)segment.st_size);
		return tp_error_set(err, TP_STATUS_OWN, -EPROTO,
			"the group's shared memory is that of another version (use the tprun that started it)");
	}
	*ret = look;
	return 0;
}

int tp_look_open(const char *group, struct tp_look *ret_look, struct tp_error *err)
{
	struct tp_client client;
	int fds[2], r = tp_groups_connect(group, &client, err);

	if (r)
		return r;
	r = ask(&client, fds, err);
	tp_client_close(&client);
	if (r)
		return r;
	r = map(fds, ret_look, err);
	close(fds[0]);
	if (r)
		close(fds[1]);
	return r;
}

void tp_look_fini(struct tp_look *look)
{
	munmap((void *)(uintptr_t)look->segment, look->size);
	close(look->heap_fd);
}

const void *tp_look_area(const struct tp_look *look, enum tp_area_kind kind, uint64_t bytes)
{
	const struct tp_area area = look->segment->areas[kind];

	if (area.off > look->size || area.size > look->size - area.off || bytes > area.size)
		return NULL;
	return (const char *)look->segment + area.off;
}

const struct tp_program *tp_look_entry(const struct tp_look *look, uint32_t index)
{
	return (const struct tp_program *)((const char *)look->segment + TP_SEGMENT_REGISTRY_OFF) + index;
}

bool tp_look_heap(const struct tp_look *look, uint64_t address, void *ret_bytes, size_t size)
{
	uint64_t off = address - TP_HEAP_BASE;

	if (address < TP_HEAP_BASE || off > look->heap_size || size > look->heap_size - off)
		return false;
	return pread(look->heap_fd, ret_bytes, size, (off_t)off) == (ssize_t)size;
}
