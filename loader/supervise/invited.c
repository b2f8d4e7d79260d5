/* SPDX-License-Identifier: MIT */
/*
 * See invited.h. /proc/PID/mountinfo names for each mount the device and the directory on it that
 * is seen there. Ours tells under which device and directory the group's own directory goes; theirs
 * is searched for a mount of exactly that.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervise/invited.h"
#include "supervise/peer.h"

struct mount {
	char device[32];
	char root[PATH_MAX], at[PATH_MAX];
};

/* "\040" and its kin. */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++)
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] && s[3]) {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 3;
		} else {
			*to++ = *s;
		}
	*to = '\0';
}

/* "66 45 254:0 /root /at rw - ext4 ..." */
static bool parse(const char *line, struct mount *ret)
{
	if (sscanf(line, "%*d %*d %31s %4095s %4095s", ret->device, ret->root, ret->at) != 3)
		return false;
	unescape(ret->root);
	unescape(ret->at);
	return true;
}

/* Calls fn for each mount until it returns true. Return: whether it did. */
static bool each_mount(pid_t pid, bool (*fn)(void *arg, const struct mount *m), void *arg)
{
	struct mount *m = malloc(sizeof(*m));
	char path[64], *line = NULL;
	size_t room = 0;
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/mountinfo", (int)pid);
	f = m ? fopen(path, "re") : NULL;
	while (f && !found && getline(&line, &room, f) > 0)
		found = parse(line, m) && fn(arg, m);
	free(line);
	if (f)
		fclose(f);
	free(m);
	return found;
}

/* Where the group's directory lies: on what device, and where on that. */
struct place {
	char path[PATH_MAX];
	size_t best;
	char device[32], on_device[2 * PATH_MAX];
};

static bool holds(const struct mount *m, const char *path, size_t *ret_len)
{
	size_t len = strcmp(m->at, "/") ? strlen(m->at) : 0;

	*ret_len = len;
	return !strncmp(m->at, path, len) && (path[len] == '/' || !path[len]);
}

/* The longest one holds it; of equal ones the last lies on top. */
static bool look_at_own(void *arg, const struct mount *m)
{
	struct place *p = arg;
	size_t len;

	if (!holds(m, p->path, &len) || len + 1 < p->best)
		return false;
	p->best = len + 1;
	memcpy(p->device, m->device, sizeof(p->device));
	snprintf(p->on_device, sizeof(p->on_device), "%s%s", strcmp(m->root, "/") ? m->root : "",
		p->path + len);
	return false;
}

static bool find_place(const struct tp_group *g, struct place *ret)
{
	char link[48];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", g->runtime.dir_fd);
	n = readlink(link, ret->path, sizeof(ret->path) - 1);
	if (n <= 0 || ret->path[0] != '/')
		return false;
	ret->path[n] = '\0';
	each_mount(getpid(), look_at_own, ret);
	return ret->best > 0;
}

static bool is_that(void *arg, const struct mount *m)
{
	const struct place *p = arg;

	return !strcmp(m->device, p->device) && !strcmp(m->root, p->on_device);
}

bool tp_invited(const struct tp_client *c)
{
	pid_t pid = tp_peer_pid(c->watch.fd);
	struct place *p;
	bool found;

	if (!pid || !tp_peer_shares(pid, "ns/user") || tp_peer_shares(pid, "ns/mnt"))
		return false;
	p = calloc(1, sizeof(*p));
	found = p && find_place(c->group, p) && each_mount(pid, is_that, p);
	free(p);
	return found;
}
