/* SPDX-License-Identifier: MIT */
/*
 * The list of a group's programs, as ps and maps need it.
 */
#include <errno.h>
#include <stdlib.h>

#include "tprun/groups.h"
#include "tprun/programs.h"

static int add(struct tp_programs *p, const struct tp_wire_program *program)
{
	struct tp_wire_program *more = reallocarray(p->v, p->n + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	p->v = more;
	p->v[p->n++] = *program;
	return 0;
}

static int list(struct tp_client *c, struct tp_programs *p)
{
	union tp_message m;
	uint32_t seq;
	int err = tp_client_ask(c, TP_WIRE_PS, &seq);

	while (!err) {
		err = tp_client_wait(c, seq, &m);
		if (!err && m.head.type == TP_WIRE_OK)
			return 0;
		if (!err && m.head.type == TP_WIRE_ERROR)
			return m.error.error ? m.error.error : -EPROTO;
		if (!err && m.head.type == TP_WIRE_PROGRAM)
			err = add(p, &m.program);
	}
	return err;
}

int tp_programs_list(struct tp_client *c, struct tp_programs *ret_programs, struct tp_error *err)
{
	struct tp_programs p = {.n = 0};
	int r = tp_client_info(c, &p.info);

	if (!r)
		r = list(c, &p);
	if (r) {
		tp_programs_fini(&p);
		return tp_error_set(err, TP_STATUS_OWN, r, "cannot list the group's programs: %s",
			r == -EPIPE ? "it has ended" : tp_errno_words(r));
	}
	*ret_programs = p;
	return 0;
}

int tp_programs_fetch(const char *group, struct tp_programs *ret_programs, struct tp_error *err)
{
	struct tp_client c;
	int r = tp_groups_connect(group, &c, err);

	if (r)
		return r;
	r = tp_programs_list(&c, ret_programs, err);
	tp_client_close(&c);
	return r;
}

void tp_programs_fini(struct tp_programs *p)
{
	free(p->v);
	*p = (struct tp_programs){.n = 0};
}

struct tp_who tp_program_who(const struct tp_wire_program *p)
{
	return (struct tp_who){p->name, p->id, p->pid, p->state, p->kind};
}

struct tp_who tp_programs_who(const void *programs, size_t at)
{
	const struct tp_programs *p = programs;

	return tp_program_who(&p->v[at]);
}
