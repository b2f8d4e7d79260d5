/* SPDX-License-Identifier: MIT */
#ifndef TP_TPRUN_GROUPS_H
#define TP_TPRUN_GROUPS_H

#include "tprun/client.h"

/*
 * tp_groups_connect - connect to the group that a verb is about.
 * @group: its name, or NULL: the only live one
 * Returns 0, or negative errno with the reason, and the names there are, in err.
 */
int tp_groups_connect(const char *group, struct tp_client *ret_client, struct tp_error *err);

/* tp_groups_live - the names of this user's live groups, sorted; malloced, so is each. */
int tp_groups_live(char ***ret_names, size_t *ret_n);
void tp_groups_free(char **names, size_t n);

#endif
