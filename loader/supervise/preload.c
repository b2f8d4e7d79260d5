/* SPDX-License-Identifier: MIT */
/* See preload.h. The caller's own LD_PRELOAD stays, in its order, behind ours. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "supervise/launch.h"

static const char variable[] = "LD_PRELOAD=";

void tp_preload_init(struct tp_group *g)
{
	if (g->opts->malloc_path)
		g->seg.at->areas[TP_AREA_PRIVATE_HEAP] = (struct tp_area){
			TP_PRIVATE_HEAP_BASE - TP_SEGMENT_BASE, TP_PRIVATE_HEAP_MAX, 0};
}

/* Below a root of its own the program finds what lies there. */
static bool there(int root_fd, const char *path)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
	int fd;

	if (root_fd < 0)
		return true;
	fd = (int)syscall(SYS_openat2, root_fd, path, &how, sizeof(how));
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static size_t count(const char *const *v)
{
	size_t n = 0;

	while (v[n])
		n++;
	return n;
}

static bool is_preload(const char *entry)
{
	return !strncmp(entry, variable, sizeof(variable) - 1);
}

/* "LD_PRELOAD=ours" or "LD_PRELOAD=ours:theirs" */
static char *entry_with(const char *ours, const char *entry)
{
	const char *theirs = entry ? entry + sizeof(variable) - 1 : "";
	char *s;

	if (asprintf(&s, "%s%s%s%s", variable, ours, *theirs ? ":" : "", theirs) < 0)
		return NULL;
	return s;
}

static int make_environment(struct tp_preload *p, const char *const *envp, const char *path)
{
	size_t n = count(envp), at = 0, made = 0;

	p->envp = calloc(n + 2, sizeof(*p->envp));
	p->made = calloc(n + 2, sizeof(*p->made));
	if (!p->envp || !p->made)
		return -ENOMEM;
	for (; at < n; at++) {
		p->envp[at] = envp[at];
		if (!is_preload(envp[at]))
			continue;
		p->envp[at] = p->made[made] = entry_with(path, envp[at]);
		if (!p->made[made++])
			return -ENOMEM;
	}
	if (!made) {
		p->envp[at] = p->made[0] = entry_with(path, NULL);
		if (!p->made[0])
			return -ENOMEM;
	}
	return 0;
}

void tp_preload_fini(struct tp_preload *p)
{
	for (char **s = p->made; s && *s; s++)
		free(*s);
	free(p->made);
	free(p->envp);
	*p = (struct tp_preload){.envp = NULL};
}

static int refuse(const char *name, struct tp_error *err, const char *why)
{
	return tp_error_named(err, TP_STATUS_NOT_EXECUTABLE, EINVAL, name,
		"could not be started with --shared-malloc: %s", why);
}

int tp_preload_admit(
	struct tp_launching *l, struct tp_client *c, const char *name, struct tp_error *err)
{
	const char *path = l->group->opts->malloc_path;
	uint32_t flavour = l->image->plan.flavour;
	char text[512];
	int r;

	if (!path)
		return l->request->msg.flags & TP_WIRE_SHARED_MALLOC
			       ? refuse(name, err,
					 "the group was started without it (start the group with "
					 "tprun run --shared-malloc)")
			       : 0;
	if (flavour & TP_FLAVOUR_ASAN)
		return refuse(name, err,
			"it uses AddressSanitizer, which needs a malloc of its own (put it into a "
			"group without --shared-malloc)");
	if (flavour & TP_FLAVOUR_STATIC) {
		tp_client_note(c,
			"%s: statically linked: it keeps its own malloc, and what it allocates is "
			"not for others to free",
			name);
		return 0;
	}
	if (!there(tp_request_root(l->request), path)) {
		snprintf(text, sizeof(text), "its root has no %s (copy the library there)", path);
		return refuse(name, err, text);
	}
	r = make_environment(&l->preload, l->strings->envp, path);
	return r ? tp_error_named(err, TP_STATUS_OWN, r, name, "could not be started: %s",
			   tp_errno_words(r))
		 : 0;
}
