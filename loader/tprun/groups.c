/* SPDX-License-Identifier: MIT */
/*
 * Which groups live: those that answer on their control socket. What a group that was killed left
 * behind does not count.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervise/runtime-dir.h"
#include "tprun/groups.h"

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int is_live(const char *name)
{
	struct tp_client c;
	struct tp_error err;

	if (!tp_runtime_name_ok(name) || tp_client_connect(&c, name, &err))
		return 0;
	tp_client_close(&c);
	return 1;
}

static int add_name(char ***names, size_t *n, const char *name)
{
	char **more = reallocarray(*names, *n + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	*names = more;
	more[*n] = strdup(name);
	if (!more[*n])
		return -ENOMEM;
	(*n)++;
	return 0;
}

int tp_groups_live(char ***ret_names, size_t *ret_n)
{
	char base[PATH_MAX];
	char **names = NULL;
	struct dirent *d;
	size_t n = 0;
	DIR *dir;
	int err = tp_runtime_base(base);

	if (err)
		return err;
	dir = opendir(base);
	while (!err && dir && (d = readdir(dir)))
		if (is_live(d->d_name))
			err = add_name(&names, &n, d->d_name);
	if (dir)
		closedir(dir);
	if (err) {
		tp_groups_free(names, n);
		return err;
	}
	if (n)
		qsort(names, n, sizeof(*names), compare_names);
	*ret_names = names;
	*ret_n = n;
	return 0;
}

void tp_groups_free(char **names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

static void join(char *buf, size_t size, char **names, size_t n)
{
	size_t at = 0;

	buf[0] = 0;
	for (size_t i = 0; i < n && at < size; i++)
		at += (size_t)snprintf(buf + at, size - at, "%s%s", i ? ", " : "", names[i]);
}

static int refuse(struct tp_error *err, char **names, size_t n)
{
	char list[256];

	if (!n)
		return tp_error_set(err, TP_STATUS_OWN, ENOENT,
			"no group is running (start one: tprun run -g NAME -- PROGRAM)");
	join(list, sizeof(list), names, n);
	return tp_error_set(err, TP_STATUS_OWN, EINVAL,
		"which group is not clear: %s are running (choose one with -g)", list);
}

int tp_groups_connect(const char *group, struct tp_client *ret_client, struct tp_error *err)
{
	char **names;
	size_t n;
	int r;

	if (group)
		return tp_client_connect(ret_client, group, err);
	r = tp_groups_live(&names, &n);
	if (r)
		return tp_error_set(
			err, TP_STATUS_OWN, r, "cannot look for groups: %s", tp_errno_words(r));
	r = n == 1 ? tp_client_connect(ret_client, names[0], err) : refuse(err, names, n);
	tp_groups_free(names, n);
	return r;
}
