/* SPDX-License-Identifier: MIT */
/* From a client's request to a running program. */
#ifndef TP_SUPERVISE_LAUNCH_H
#define TP_SUPERVISE_LAUNCH_H

#include "image.h"
#include "stack.h"
#include "supervise/client.h"
#include "supervise/preload.h"
#include "supervise/wirecheck.h"

/* A launch that a client has asked for; complete when `nfds` of `want` descriptors are here. */
struct tp_request {
	struct tp_wire_launch msg;
	uint32_t nfds, want;
	int *fds; /* owned: blob, working directory, root, the caller's */
};

/* Takes the descriptors over in any case. Return: NULL: no memory. */
struct tp_request *tp_request_create(
	const struct tp_wire_launch *msg, const int *fds, uint32_t nfds);
/* Closes and frees; takes NULL, returns NULL. */
struct tp_request *tp_request_free(struct tp_request *r);
/* Takes the descriptors over. Return: 0; -EPROTO: more than announced. */
int tp_request_add(struct tp_request *r, const int *fds, uint32_t nfds);

static inline int tp_request_cwd(const struct tp_request *r)
{
	return r->fds[1];
}
static inline int tp_request_root(const struct tp_request *r)
{
	return r->msg.flags & TP_WIRE_ROOT ? r->fds[2] : -1;
}
static inline const int *tp_request_caller(const struct tp_request *r)
{
	return r->fds + (r->msg.flags & TP_WIRE_ROOT ? 3 : 2);
}

/* Reads and splits the strings. The blob is to be freed behind strings->argv. */
int tp_request_read(const struct tp_request *r, char **ret_blob, struct tp_wire_strings *ret,
	struct tp_error *err);

/* Launches, and answers the client: LAUNCHED or ERROR. */
void tp_launch(struct tp_client *c, struct tp_request *r);

/* Where everything of one program goes. */
struct tp_place {
	uint64_t base; /* of its unit */
	uint64_t bias, interp_bias;
	uint64_t entry, exe_entry;
	uint32_t nmaps, nimages;
	struct tp_host_map maps[TP_HOST_MAPS_MAX];
	struct tp_host_image images[TP_HOST_IMAGES_MAX];
	struct tp_range fixed; /* a fixed-address executable */
};

/* Pure: decides addresses. Descriptor 0 is the executable, 1 the interpreter. Return: 0; -ENOMEM:
 * too large. */
int tp_place_image(
	const struct tp_image *image, uint64_t base, struct tp_place *ret, struct tp_error *err);

/* Builds and sends the host's message. Return: 0 and the pid; negative errno and err. */
struct tp_launching {
	struct tp_group *group;
	struct tp_prog *prog;
	const struct tp_request *request;
	const struct tp_wire_strings *strings;
	const struct tp_image *image;
	const struct tp_place *place;
	const struct tp_stack *stack;
	struct tp_preload preload;
};
int tp_launch_send(const struct tp_launching *l, pid_t *ret_pid, struct tp_error *err);

#endif
