/* SPDX-License-Identifier: MIT */
#ifndef TP_TPRUN_PROGRAMS_H
#define TP_TPRUN_PROGRAMS_H

#include "tprun/client.h"
#include "tprun/who.h"

/* What a group said about its programs. */
struct tp_programs {
	struct tp_wire_info info;
	struct tp_wire_program *v;
	size_t n;
};

/* tp_programs_list - ask a connected group what runs in it. */
int tp_programs_list(
	struct tp_client *client, struct tp_programs *ret_programs, struct tp_error *err);

/* tp_programs_fetch - connect to a group (NULL: the only live one) and list it. */
int tp_programs_fetch(const char *group, struct tp_programs *ret_programs, struct tp_error *err);
void tp_programs_fini(struct tp_programs *programs);

struct tp_who tp_program_who(const struct tp_wire_program *program);
tp_who_at tp_programs_who; /* of a struct tp_programs */

#endif
