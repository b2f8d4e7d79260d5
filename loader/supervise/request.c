/* SPDX-License-Identifier: MIT */
/* Collects a launch: its descriptors may come in several messages, its strings in a memfd. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervise/launch.h"
#include "supervise/sockmsg.h"

struct tp_request *tp_request_create(
	const struct tp_wire_launch *msg, const int *fds, uint32_t nfds)
{
	struct tp_request *r = calloc(1, sizeof(*r));
	uint32_t want = tp_wire_launch_fds(msg);
	int *all = calloc(want, sizeof(*all));

	if (!r || !all || nfds > want) {
		free(r);
		free(all);
		tp_close_all(fds, nfds);
		return NULL;
	}
	*r = (struct tp_request){.msg = *msg, .nfds = nfds, .want = want, .fds = all};
	memcpy(all, fds, nfds * sizeof(*fds));
	return r;
}

struct tp_request *tp_request_free(struct tp_request *r)
{
	if (!r)
		return NULL;
	tp_close_all(r->fds, r->nfds);
	free(r->fds);
	free(r);
	return NULL;
}

int tp_request_add(struct tp_request *r, const int *fds, uint32_t nfds)
{
	if (nfds > r->want - r->nfds) {
		tp_close_all(fds, nfds);
		return -EPROTO;
	}
	memcpy(r->fds + r->nfds, fds, nfds * sizeof(*fds));
	r->nfds += nfds;
	return 0;
}

/* Only a memfd that nobody can change any more: reading it never blocks and never comes out short.
 */
static bool sealed(int fd)
{
	const int all = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
	int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && (seals & all) == all;
}

static int refuse(struct tp_error *err, const char *why)
{
	return tp_error_set(err, TP_STATUS_OWN, EPROTO, "launch: could not be read: %s", why);
}

int tp_request_read(const struct tp_request *r, char **ret_blob, struct tp_wire_strings *ret,
	struct tp_error *err)
{
	size_t len = r->msg.blob_len;
	const char *why;
	char *blob;

	if (!sealed(r->fds[0]))
		return refuse(err, "its strings are not in a sealed memfd");
	blob = malloc(len + 1);
	if (!blob)
		return refuse(err, "there is no memory for it");
	if (pread(r->fds[0], blob, len + 1, 0) != (ssize_t)len) {
		free(blob);
		return refuse(err, "its strings are not as long as it says");
	}
	blob[len] = '\0';
	why = tp_wire_split(&r->msg, blob, ret);
	if (why) {
		free(blob);
		return refuse(err, why);
	}
	*ret_blob = blob;
	return 0;
}
