/* SPDX-License-Identifier: MIT */
/* See wirecheck.h. Every length is compared before a byte behind it is read. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "supervise/wirecheck.h"

enum {
	TARGET_MAX = 1 << 20
}; /* no descriptor number lies above: the kernel's own default ceiling */

static size_t size_of(unsigned type)
{
	switch (type) {
	case TP_WIRE_LAUNCH: return sizeof(struct tp_wire_launch);
	case TP_WIRE_SIGNAL:
	case TP_WIRE_RECLAIM: return sizeof(struct tp_wire_signal);
	case TP_WIRE_STOP: return sizeof(struct tp_wire_stop);
	case TP_WIRE_ATTACH: return sizeof(struct tp_wire_attach);
	case TP_WIRE_FD_PUT:
	case TP_WIRE_FD_GET:
	case TP_WIRE_FD_DROP:
	case TP_WIRE_WATCH: return sizeof(struct tp_wire_key);
	case TP_WIRE_LOOK:
	case TP_WIRE_DETACH:
	case TP_WIRE_FDS:
	case TP_WIRE_DONE:
	case TP_WIRE_PS:
	case TP_WIRE_INFO: return sizeof(struct tp_wire_head);
	default: return 0;
	}
}

static bool terminated(const char *text, size_t size)
{
	return memchr(text, '\0', size) != NULL;
}

uint32_t tp_wire_launch_fds(const struct tp_wire_launch *m)
{
	return 2 + (m->flags & TP_WIRE_ROOT ? 1 : 0) + m->nfds;
}

static const char *check_launch(const struct tp_wire_launch *m, uint32_t nfds)
{
	const uint32_t known = TP_WIRE_LINGER | TP_WIRE_OWN_SESSION | TP_WIRE_CTTY | TP_WIRE_ROOT |
			       TP_WIRE_MORE | TP_WIRE_SHARED_MALLOC;
	uint64_t strings;

	if (m->flags & ~known)
		return "it asks for something this version does not know";
	if (!terminated(m->name, sizeof(m->name)))
		return "its name has no end";
	if (m->nfds > TARGET_MAX || m->blob_len > TP_WIRE_BLOB_MAX)
		return "it is too large";
	strings = (uint64_t)m->argc + m->envc;
	if (!m->argc || strings + (uint64_t)m->nfds * sizeof(int32_t) > m->blob_len)
		return "its counts and its strings do not agree";
	if (nfds > tp_wire_launch_fds(m))
		return "it brings more descriptors than it announces";
	if (nfds < tp_wire_launch_fds(m) && nfds < TP_WIRE_FDS_BATCH)
		return "descriptors are missing";
	if (m->pgid < 0 || m->umask > 0777)
		return "a number in it is out of range";
	return NULL;
}

const char *tp_wire_check(const void *msg, size_t len, uint32_t nfds)
{
	const struct tp_wire_head *head = msg;

	if (len < sizeof(*head) || head->magic != TP_WIRE_MAGIC)
		return "it is not a message of tprun";
	if (head->version != TP_WIRE_VERSION)
		return "it is of another version of tprun";
	if (head->len != len || !size_of(head->type) || len != size_of(head->type))
		return "its length is wrong for its kind";
	if (head->type == TP_WIRE_LAUNCH)
		return check_launch(msg, nfds);
	if (head->type == TP_WIRE_FDS)
		return nfds ? NULL : "descriptors are missing";
	if (head->type == TP_WIRE_FD_PUT || head->type == TP_WIRE_WATCH)
		return nfds == 1 ? NULL : "it does not bring exactly one descriptor";
	if (nfds)
		return "it brings descriptors that nobody asked for";
	if (head->type == TP_WIRE_STOP &&
		!terminated(((const struct tp_wire_stop *)msg)->name, TP_NAME_MAX))
		return "its name has no end";
	return NULL;
}

static bool ascending(const int32_t *targets, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (targets[i] < 0 || targets[i] >= TARGET_MAX ||
			(i && targets[i] <= targets[i - 1]))
			return false;
	return true;
}

/* Return: where the first byte behind the strings is, NULL if there are fewer. */
static const char *split(const char *at, const char *end, uint32_t n, const char **ret)
{
	for (uint32_t i = 0; i < n; i++) {
		const char *nul = at < end ? memchr(at, '\0', (size_t)(end - at)) : NULL;

		if (!nul)
			return NULL;
		ret[i] = at;
		at = nul + 1;
	}
	return at;
}

const char *tp_wire_split(
	const struct tp_wire_launch *m, const char *blob, struct tp_wire_strings *ret)
{
	const int32_t *targets = (const void *)blob;
	const char *at = blob + (size_t)m->nfds * sizeof(*targets), *end = blob + m->blob_len;
	const char **strings;

	if (!ascending(targets, m->nfds))
		return "its descriptor numbers are not ascending";
	strings = calloc((size_t)m->argc + m->envc + 2, sizeof(*strings));
	if (!strings)
		return "there is no memory for it";
	at = split(at, end, m->argc, strings);
	at = at ? split(at, end, m->envc, strings + m->argc + 1) : NULL;
	if (at != end) {
		free(strings);
		return "its counts and its strings do not agree";
	}
	*ret = (struct tp_wire_strings){targets, strings, strings + m->argc + 1};
	return NULL;
}
