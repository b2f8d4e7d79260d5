/* SPDX-License-Identifier: MIT */
/*
 * One program before it is started: executable and interpreter. See image.h.
 */
#include "image.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "image-cache.h"

static int plan_target(const struct tp_target *target, const char *name, bool interp,
	struct tp_plan *ret_plan, struct tp_error *err)
{
	struct tp_elf elf;
	int ret;

	if (target->known) {
		tp_plan_copy(target->known, ret_plan);
		return 0;
	}
	ret = tp_elf_open_fd(target->fd, &elf);
	if (ret < 0)
		return tp_error_named(err, TP_STATUS_NOT_EXECUTABLE, ret, name,
			"cannot be run: it cannot be read: %s", tp_errno_words(ret));
	if (interp)
		return tp_plan_read_interp(&elf, name, ret_plan, err);
	return tp_plan_read(&elf, name, ret_plan, err);
}

/* An interpreter is refused under the name of the program that needs it. */
static int open_interp(const struct tp_resolve_spec *spec, struct tp_image *image,
	struct tp_error *err)
{
	const char *name = spec->argv[0];
	char both[sizeof(err->text)];
	int ret;

	ret = tp_resolve_interp(spec, name, image->plan.interp, &image->interp, err);
	if (ret < 0)
		return ret;
	snprintf(both, sizeof(both), "%.80s: its ELF interpreter %.70s", name, image->plan.interp);
	return plan_target(&image->interp, both, true, &image->interp_plan, err);
}

static void remember_file(const struct tp_resolve_spec *spec, const struct tp_target *target,
	const char *path, bool interp, const struct tp_plan *plan)
{
	struct stat st;

	if (!target->known && fstat(target->fd, &st) == 0)
		tpi_image_cache_put(spec->cache, path, interp, &st, target->realpath, plan);
}

/* Last, because it may overwrite what tp_target.known points to. */
static void remember(const struct tp_resolve_spec *spec, struct tp_image *image)
{
	const struct tp_target *exe = &image->exe;

	if (spec->cache && spec->root_fd < 0) {
		remember_file(spec, exe, exe->script ? exe->argv[0] : exe->execfn, false,
			&image->plan);
		if (image->has_interp)
			remember_file(spec, &image->interp, image->plan.interp, true,
				&image->interp_plan);
	}
	image->exe.known = image->interp.known = NULL;
}

static int open_parts(const struct tp_resolve_spec *spec, struct tp_image *image,
	struct tp_error *err)
{
	int ret;

	ret = tp_resolve(spec, &image->exe, err);
	if (ret < 0)
		return ret;
	ret = plan_target(&image->exe, spec->argv[0], false, &image->plan, err);
	if (ret < 0)
		return ret;
	image->has_interp = image->plan.has_interp;
	return image->has_interp ? open_interp(spec, image, err) : 0;
}

int tp_image_open(const struct tp_resolve_spec *spec, struct tp_image *ret_image,
	struct tp_error *err)
{
	int ret;

	ret_image->exe = (struct tp_target)TP_TARGET_INIT;
	ret_image->interp = (struct tp_target)TP_TARGET_INIT;
	ret_image->has_interp = false;
	ret_image->interp_plan.nmap = 0;
	ret = open_parts(spec, ret_image, err);
	if (ret == 0)
		remember(spec, ret_image);
	else
		tp_image_fini(ret_image);
	return ret;
}

void tp_image_fini(struct tp_image *image)
{
	tp_target_fini(&image->exe);
	tp_target_fini(&image->interp);
	image->has_interp = false;
}
