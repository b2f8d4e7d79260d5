/* SPDX-License-Identifier: MIT */
/*
 * What a client sends: whatever the bytes are, the check reads nothing outside them, and what it
 * lets pass has the properties that the supervisor relies on.
 *
 * Input: one byte, the number of descriptors that came along; the message; for a launch that
 * passes, its blob. With the byte's low bit set the message becomes a launch whose head, name and
 * blob length are right, so that what lies behind those checks is reached as well.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "supervise/wirecheck.h"

#define MUST(cond) \
	do { \
		if (!(cond)) \
			abort(); \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_strings(
	const struct tp_wire_launch *m, const char *blob, const struct tp_wire_strings *s)
{
	const char *end = blob + m->blob_len, *at = blob + (size_t)m->nfds * sizeof(int32_t);

	for (uint32_t i = 0; i < m->nfds; i++)
		MUST(s->targets[i] >= 0 && (!i || s->targets[i] > s->targets[i - 1]));
	for (uint32_t i = 0; i < m->argc; i++, at += strlen(at) + 1)
		MUST(s->argv[i] == at && at < end);
	MUST(!s->argv[m->argc]);
	for (uint32_t i = 0; i < m->envc; i++, at += strlen(at) + 1)
		MUST(s->envp[i] == at && at < end);
	MUST(!s->envp[m->envc] && at == end);
}

static void try_blob(const struct tp_wire_launch *m, const uint8_t *data, size_t size)
{
	struct tp_wire_strings s;
	char *blob;

	MUST(m->blob_len <= TP_WIRE_BLOB_MAX && m->argc && memchr(m->name, 0, sizeof(m->name)));
	if (m->blob_len > size)
		return;
	blob = malloc((size_t)m->blob_len + 1);
	if (!blob)
		return;
	memcpy(blob, data, m->blob_len);
	blob[m->blob_len] = '\0';
	if (!tp_wire_split(m, blob, &s)) {
		check_strings(m, blob, &s);
		free(s.argv);
	}
	free(blob);
}

/* What libtp asks for: the supervisor reads its whole struct, and takes one descriptor only where one belongs. */
static void check_libtp(const struct tp_wire_head *head, size_t len, uint32_t nfds)
{
	bool brings = head->type == TP_WIRE_FD_PUT || head->type == TP_WIRE_WATCH;

	MUST(head->type <= TP_WIRE_DETACH && nfds == (brings ? 1 : 0));
	if (head->type == TP_WIRE_ATTACH)
		MUST(len == sizeof(struct tp_wire_attach));
	else if (head->type != TP_WIRE_LOOK && head->type != TP_WIRE_DETACH)
		MUST(len == sizeof(struct tp_wire_key));
}

static size_t message_len(const uint8_t *data, size_t size)
{
	struct tp_wire_head head;

	if (size < sizeof(head))
		return size;
	memcpy(&head, data, sizeof(head));
	return head.len < size ? head.len : size;
}

static void make_plausible(void *msg, size_t *len, size_t rest, uint32_t *nfds)
{
	struct tp_wire_launch *m = msg;

	m->head = (struct tp_wire_head){
		TP_WIRE_MAGIC, TP_WIRE_VERSION, TP_WIRE_LAUNCH, sizeof(*m), 1};
	m->flags &= 0x1f;
	m->argc &= 7;
	m->envc &= 7;
	m->nfds &= 7;
	m->blob_len = (uint32_t)rest;
	m->pgid &= 0xffff;
	m->umask &= 0777;
	m->name[sizeof(m->name) - 1] = '\0';
	*nfds = tp_wire_launch_fds(m);
	*len = sizeof(*m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool plausible = size > sizeof(struct tp_wire_launch) && (data[0] & 1);
	uint32_t nfds;
	size_t len;
	void *msg;

	if (!size)
		return 0;
	nfds = data[0];
	data++;
	size--;
	len = plausible ? sizeof(struct tp_wire_launch) : message_len(data, size);
	msg = malloc(len ? len : 1); /* exactly as long, so that a byte too far is seen */
	if (!msg)
		return 0;
	memcpy(msg, data, len);
	if (plausible)
		make_plausible(msg, &len, size - len, &nfds);
	if (!tp_wire_check(msg, len, nfds)) {
		const struct tp_wire_head *head = msg;

		MUST(head->len == len && head->magic == TP_WIRE_MAGIC);
		if (head->type >= TP_WIRE_ATTACH)
			check_libtp(head, len, nfds);
		if (head->type == TP_WIRE_LAUNCH)
			try_blob(msg, data + len, size - len);
	}
	free(msg);
	return 0;
}
