/* SPDX-License-Identifier: MIT */
#ifndef TP_TPRUN_ROOT_H
#define TP_TPRUN_ROOT_H

#include "error.h"

/* tp_root_open - open what --root names; dir NULL: *ret_fd stays as it is. */
int tp_root_open(const char *dir, int *ret_fd, struct tp_error *err);

/* tp_root_cwd - where a program in that root starts: where the caller is if that lies inside, else
 * the root. Otherwise the way out would be open. Returns one of the two. */
int tp_root_cwd(int root_fd, int cwd_fd);

#endif
