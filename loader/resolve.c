/* SPDX-License-Identifier: MIT */
/*
 * From a command to an open executable. See resolve.h.
 *
 * Order: find the file (PATH or as given), then, while it is a script, the interpreter that its
 * `#!` line names, then the checks that concern only what is really executed.
 */
#include "resolve.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "argv.h"
#include "exec-file.h"
#include "image-cache.h"
#include "shebang.h"

enum { SCRIPTS_MAX = 5 }; /* a script whose interpreter is a script, …: the kernel's limit */

#define DEFAULT_PATH "/bin:/usr/bin"

struct search {
	const struct tp_resolve_spec *spec;
	struct tpi_where where;
	const char *name; /* as the user typed it */
	struct tp_error *err;
	char path[PATH_MAX]; /* of the file that was found; becomes AT_EXECFN */
	struct tpi_exec_file file;
	struct tpi_image_memory memory; /* of the file; plan NULL: not seen before */
	struct tp_shebang script[SCRIPTS_MAX];
	int nscripts;
};

/* ---- refusals ---- */

/* The shell's status for an errno of execve, or tprun's own where the fault is not the file's. */
static int status_of(int error)
{
	switch (-error) {
	case ENOENT:
		return TP_STATUS_NOT_FOUND;
	case EMFILE:
	case ENFILE:
	case ENOMEM:
		return TP_STATUS_OWN;
	}
	return TP_STATUS_NOT_EXECUTABLE;
}

static int refuse(const struct search *s, const struct tpi_refusal *why)
{
	return tp_error_named(s->err, status_of(why->error), why->error, s->name,
		"cannot be run: %s", why->why);
}

static int refuse_words(const struct search *s, int error, const char *words)
{
	return refuse(s, &(struct tpi_refusal){ .error = error, .why = words });
}

/* A relative path fails in a directory that was removed, with words that would mislead. */
static bool cwd_is_gone(const struct search *s)
{
	struct stat st;
	int ret;

	if (s->spec->cwd_fd == AT_FDCWD)
		ret = stat(".", &st);
	else
		ret = fstat(s->spec->cwd_fd, &st);
	return ret < 0 || st.st_nlink == 0;
}

static int refuse_path(const struct search *s, const struct tpi_refusal *why)
{
	if (why->error == -ENOENT && s->name[0] != '/' && cwd_is_gone(s))
		return refuse_words(s, -ENOENT, "the working directory has been removed (cd to another)");
	return refuse(s, why);
}

static int refuse_interp(const struct search *s, const char *whose, const char *interp,
	const struct tpi_refusal *why)
{
	size_t len = strlen(interp);
	const char *hint = "";

	if (len && interp[len - 1] == '\r')
		hint = " (its lines end in CR LF; convert them)";
	return tp_error_named(s->err, status_of(why->error), why->error, s->name,
		"cannot be run: %s interpreter %.256s: %s%s", whose, interp, why->why, hint);
}

/* ---- finding the file ---- */

/* Into s->file, whichever was open there before. */
static int open_file(struct search *s, const char *path, bool interp, struct tpi_refusal *ret_why)
{
	struct tpi_exec_file file;

	s->memory.plan = NULL;
	if (!tpi_image_cache_open(s->spec->cache, &s->where, path, interp, &file, &s->memory)
			&& tpi_exec_file_open(&s->where, path, &file, ret_why) < 0)
		return ret_why->error;
	if (s->file.fd >= 0)
		close(s->file.fd);
	s->file = file;
	return 0;
}

static int open_as_given(struct search *s)
{
	struct tpi_refusal why;

	if (strlen(s->name) >= PATH_MAX)
		return refuse_words(s, -ENAMETOOLONG, tp_errno_words(ENAMETOOLONG));
	strcpy(s->path, s->name);
	if (open_file(s, s->path, false, &why) < 0)
		return refuse_path(s, &why);
	return 0;
}

/* "dir/name" into s->path; an empty dir is the working directory. False: too long. */
static bool join(struct search *s, const char *dir, size_t len)
{
	size_t name_len = strlen(s->name);

	if (len == 0) {
		dir = ".";
		len = 1;
	}
	if (len + 1 + name_len >= PATH_MAX)
		return false;
	memcpy(s->path, dir, len);
	s->path[len] = '/';
	memcpy(s->path + len + 1, s->name, name_len + 1);
	return true;
}

/* Returns 0: found; -ENOENT: go on with the next directory, having noted in `first` what was there
 * but cannot be executed; anything else ends the search. */
static int try_directory(struct search *s, const char *dir, size_t len, struct tpi_refusal *first)
{
	struct tpi_refusal why;

	if (!join(s, dir, len))
		return -ENOENT;
	if (open_file(s, s->path, false, &why) == 0)
		return 0;
	if (status_of(why.error) == TP_STATUS_OWN)
		return refuse(s, &why);
	if (why.exists && !why.directory && !first->error)
		*first = why;
	return -ENOENT;
}

static int search_path(struct search *s)
{
	const char *dir = s->spec->path ? s->spec->path : DEFAULT_PATH, *end;
	struct tpi_refusal first = { 0 };
	int ret;

	for (;; dir = end + 1) {
		end = strchrnul(dir, ':');
		ret = try_directory(s, dir, end - dir, &first);
		if (ret != -ENOENT)
			return ret;
		if (*end == '\0')
			break;
	}
	if (first.error)
		return refuse(s, &first);
	return tp_error_named(s->err, TP_STATUS_NOT_FOUND, ENOENT, s->name,
		"cannot be run: no such command in PATH (check the spelling, or give its path)");
}

static int find_file(struct search *s)
{
	if (s->name[0] == '\0')
		return refuse_words(s, -ENOENT, "the command's name is empty");
	return strchr(s->name, '/') ? open_as_given(s) : search_path(s);
}

/* ---- scripts ---- */

static int refuse_kind(const struct search *s, const char *why)
{
	struct tpi_refusal refusal = { .error = -ENOEXEC, .why = why };

	if (s->nscripts)
		return refuse_interp(s, "its", s->script[s->nscripts - 1].interp, &refusal);
	return refuse(s, &refusal);
}

/* Opens what the `#!` line names in place of the script. */
static int enter_script(struct search *s, const struct tp_shebang *line)
{
	struct tpi_refusal why;

	if (s->nscripts == SCRIPTS_MAX)
		return refuse_words(s, -ELOOP, "more than 5 scripts are each other's interpreter");
	/* To the kernel, no name is the working directory. */
	if (line->interp[0] == '\0')
		return refuse_words(s, -EACCES, "its #! line names no interpreter");
	s->script[s->nscripts] = *line;
	if (open_file(s, line->interp, false, &why) < 0)
		return refuse_interp(s, "its", line->interp, &why);
	s->nscripts++;
	return 0;
}

/* Returns 1: it was a script, look at its interpreter; 0: it claims to be ELF; or a refusal. */
static int follow_script(struct search *s)
{
	char head[TP_SHEBANG_BYTES];
	struct tp_shebang line;
	ssize_t len;
	int ret;

	if (s->memory.plan)
		return 0;
	len = pread(s->file.fd, head, sizeof(head), 0);
	if (len < 0)
		return refuse_words(s, -errno, tp_errno_words(errno));
	if (len == 0)
		return refuse_kind(s, "the file is empty");
	if (len >= SELFMAG && memcmp(head, ELFMAG, SELFMAG) == 0)
		return 0;
	ret = tp_shebang_parse(head, len, &line);
	if (ret == 0)
		return refuse_kind(s, "it is not an ELF executable and has no #! line");
	if (ret < 0)
		return refuse_kind(s, "its #! line names no interpreter, or too long a one");
	ret = enter_script(s, &line);
	return ret < 0 ? ret : 1;
}

/* ---- the result ---- */

static void note_identity(const struct stat *st, struct tp_target *t)
{
	t->dev = st->st_dev;
	t->ino = st->st_ino;
	t->size = st->st_size;
	t->mtime_ns = st->st_mtim.tv_sec * INT64_C(1000000000) + st->st_mtim.tv_nsec;
}

static void name_process(const char *path, char *comm, size_t size)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t len = strnlen(name, size - 1);

	memcpy(comm, name, len);
	comm[len] = '\0';
}

/* Malloced; NULL: no memory. */
static char *real_path(const struct search *s, const char *path)
{
	char *real;

	if (s->memory.plan)
		return strdup(s->memory.realpath);
	return tpi_where_realpath(&s->where, s->file.fd, path, &real) < 0 ? NULL : real;
}

/* Takes over the descriptor. The last file's path is only the fall-back for its real path. */
static int make_target(struct search *s, struct tp_target *ret_target)
{
	const char *last = s->nscripts ? s->script[s->nscripts - 1].interp : s->path;
	struct tp_target t = { .fd = s->file.fd, .known = s->memory.plan };

	note_identity(&s->file.st, &t);
	name_process(s->path, t.comm, sizeof(t.comm));
	t.script = s->nscripts > 0;
	t.execfn = strdup(s->path);
	t.argv = tpi_argv_make(s->script, s->nscripts, s->path, s->spec->argv, &t.argc);
	t.realpath = real_path(s, last);
	s->file.fd = -1;
	if (!t.execfn || !t.argv || !t.realpath) {
		tp_target_fini(&t);
		return refuse_words(s, -ENOMEM, tp_errno_words(ENOMEM));
	}
	*ret_target = t;
	return 0;
}

static int check_privileges(const struct search *s)
{
	struct tpi_refusal why;

	if (s->memory.plan || tpi_exec_file_privileges(&s->file, &why) == 0)
		return 0;
	if (s->nscripts)
		return refuse_interp(s, "its", s->script[s->nscripts - 1].interp, &why);
	return refuse(s, &why);
}

static int resolve(struct search *s, struct tp_target *ret_target)
{
	int ret;

	ret = find_file(s);
	if (ret < 0)
		return ret;
	do {
		ret = follow_script(s);
	} while (ret > 0);
	if (ret == 0)
		ret = check_privileges(s);
	if (ret == 0)
		ret = make_target(s, ret_target);
	return ret;
}

/* Leaves the large buffers as they are. */
static void init_search(const struct tp_resolve_spec *spec, const char *name, struct tp_error *err,
	struct search *s)
{
	s->spec = spec;
	s->name = name;
	s->err = err;
	s->file.fd = -1;
	s->nscripts = 0;
	tpi_where_init(spec->cwd_fd, spec->root_fd, &s->where);
}

int tp_resolve(const struct tp_resolve_spec *spec, struct tp_target *ret_target,
	struct tp_error *err)
{
	struct search s;
	int ret;

	init_search(spec, spec->argv && spec->argv[0] ? spec->argv[0] : "", err, &s);
	ret = resolve(&s, ret_target);
	if (s.file.fd >= 0)
		close(s.file.fd);
	return ret;
}

int tp_resolve_interp(const struct tp_resolve_spec *spec, const char *name, const char *interp,
	struct tp_target *ret_target, struct tp_error *err)
{
	struct tp_target t = { 0 };
	struct tpi_refusal why;
	struct search s;

	init_search(spec, name, err, &s);
	if (open_file(&s, interp, true, &why) < 0)
		return refuse_interp(&s, "its ELF", interp, &why);
	t.fd = s.file.fd;
	t.known = s.memory.plan;
	note_identity(&s.file.st, &t);
	t.realpath = real_path(&s, interp);
	if (!t.realpath) {
		close(t.fd);
		return refuse_words(&s, -ENOMEM, tp_errno_words(ENOMEM));
	}
	*ret_target = t;
	return 0;
}

void tp_target_fini(struct tp_target *target)
{
	if (target->fd >= 0)
		close(target->fd);
	free(target->realpath);
	free(target->execfn);
	free(target->argv);
	*target = (struct tp_target)TP_TARGET_INIT;
}
