/* SPDX-License-Identifier: MIT */
/*
 * The launch request: strings and target numbers travel in a sealed memfd, so that megabytes of
 * arguments need no limit of a message; descriptors travel in batches.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tprun/client.h"
#include "tprun/wire-send.h"

#define BLOB_SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

static size_t count_strings(char *const *v, size_t *bytes)
{
	size_t n = 0;

	for (; v[n]; n++)
		*bytes += strlen(v[n]) + 1;
	return n;
}

static char *put_strings(char *at, char *const *v)
{
	for (; *v; v++)
		at = stpcpy(at, *v) + 1;
	return at;
}

static void fill_blob(char *at, const struct tp_request *r)
{
	const int *targets = r->targets ? r->targets : r->fds;

	if (r->nfds)
		memcpy(at, targets, r->nfds * sizeof(int32_t));
	at += r->nfds * sizeof(int32_t);
	at = put_strings(at, r->argv);
	put_strings(at, r->envp);
}

static int write_all(int fd, const char *p, size_t left)
{
	while (left) {
		ssize_t n = write(fd, p, left);

		if (n < 0)
			return -errno;
		p += n;
		left -= (size_t)n;
	}
	return 0;
}

static int sealed_memfd(const char *bytes, size_t len)
{
	int fd = memfd_create("tprun-launch", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int err;

	if (fd < 0)
		return -errno;
	err = write_all(fd, bytes, len);
	if (!err && fcntl(fd, F_ADD_SEALS, BLOB_SEALS))
		err = -errno;
	if (err) {
		close(fd);
		return err;
	}
	return fd;
}

/* Returns the blob's descriptor and fills the counts in, or negative errno. */
static int make_blob(const struct tp_request *r, struct tp_wire_launch *m)
{
	size_t bytes = r->nfds * sizeof(int32_t);
	char *p;
	int fd;

	m->argc = (uint32_t)count_strings(r->argv, &bytes);
	m->envc = (uint32_t)count_strings(r->envp, &bytes);
	if (bytes > TP_WIRE_BLOB_MAX)
		return -E2BIG;
	p = malloc(bytes);
	if (!p)
		return -ENOMEM;
	fill_blob(p, r);
	fd = sealed_memfd(p, bytes);
	free(p);
	m->blob_len = (uint32_t)bytes;
	return fd;
}

static int fill_message(const struct tp_request *r, struct tp_wire_launch *m)
{
	m->flags = r->flags | (r->root_fd >= 0 ? TP_WIRE_ROOT : 0);
	m->nfds = (uint32_t)r->nfds;
	m->pgid = r->pgid;
	m->sid = r->sid;
	m->umask = r->umask;
	m->nice = r->nice;
	m->sigmask = r->sigmask;
	m->sigignore = r->sigignore;
	memcpy(m->rlimits, r->rlimits, sizeof(m->rlimits));
	if (r->name && strlen(r->name) >= sizeof(m->name))
		return -ENAMETOOLONG;
	if (r->name)
		strcpy(m->name, r->name);
	return make_blob(r, m);
}

/* blob, cwd, [root], then the caller's: in one array, cut into batches. */
static int send_batches(struct tp_client *c, struct tp_wire_launch *m, const int *fds, size_t n)
{
	size_t at = n < TP_WIRE_FDS_BATCH ? n : TP_WIRE_FDS_BATCH;
	uint32_t seq = ++c->seq;
	int err = tp_wire_send_fds(c, &m->head, TP_WIRE_LAUNCH, sizeof(*m), seq, fds, at);

	while (!err && at < n) {
		struct tp_wire_head more;
		size_t batch = n - at < TP_WIRE_FDS_BATCH ? n - at : TP_WIRE_FDS_BATCH;

		err = tp_wire_send_fds(c, &more, TP_WIRE_FDS, sizeof(more), seq, fds + at, batch);
		at += batch;
	}
	return err;
}

static int send_launch(
	struct tp_client *c, const struct tp_request *r, struct tp_wire_launch *m, int blob)
{
	size_t n = 0;
	int *fds = calloc(r->nfds + 3, sizeof(*fds));
	int err;

	if (!fds)
		return -ENOMEM;
	fds[n++] = blob;
	fds[n++] = r->cwd_fd;
	if (r->root_fd >= 0)
		fds[n++] = r->root_fd;
	if (r->nfds)
		memcpy(fds + n, r->fds, r->nfds * sizeof(*fds));
	err = send_batches(c, m, fds, n + r->nfds);
	free(fds);
	return err;
}

static int explain(struct tp_error *err, int error, const char *name)
{
	switch (error) {
	case -E2BIG:
		return tp_error_named(err, TP_STATUS_NOT_EXECUTABLE, error, name,
			"cannot be started: argument list too long");
	case -EFBIG:
		return tp_error_named(err, TP_STATUS_OWN, error, name,
			"cannot be started: the limit on file sizes is too low (raise `ulimit "
			"-f`)");
	case -EINVAL: /* the kernel passes everything on but rings: they could hold the socket */
		return tp_error_named(err, TP_STATUS_OWN, error, name,
			"cannot be started: an open descriptor cannot be handed over "
			"(an io_uring? close it first)");
	case -EPIPE:
		return tp_error_named(
			err, TP_STATUS_OWN, error, name, "cannot be started: the group has ended");
	default:
		return tp_error_named(err, TP_STATUS_OWN, error, name, "cannot be started: %s",
			tp_errno_words(error));
	}
}

int tp_client_launch(
	struct tp_client *c, const struct tp_request *r, uint32_t *ret_seq, struct tp_error *err)
{
	struct tp_wire_launch m = {.flags = 0};
	int blob = fill_message(r, &m);
	int error;

	if (blob < 0)
		return explain(err, blob, r->argv[0]);
	error = send_launch(c, r, &m, blob);
	close(blob);
	if (error)
		return explain(err, error, r->argv[0]);
	*ret_seq = c->seq;
	return 0;
}
