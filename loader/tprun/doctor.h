/* SPDX-License-Identifier: MIT */
#ifndef TP_TPRUN_DOCTOR_H
#define TP_TPRUN_DOCTOR_H

/*
 * What one check found out about this machine.
 */
enum tp_verdict {
	TP_FINE,
	TP_LIMITS, /* groups work, within bounds or without something */
	TP_BREAKS, /* no group can be started */
};

struct tp_finding {
	enum tp_verdict verdict;
	char found[160]; /* what is there */
	char means[200]; /* what that limits or breaks; empty if nothing */
	char todo[160];  /* what can be done about it; empty if nothing */
};

struct tp_check {
	const char *name;
	void (*run)(struct tp_finding *ret_finding);
};

/* Each ends with a zero entry. */
extern const struct tp_check tp_checks_kernel[], tp_checks_limits[], tp_checks_libc[];

/* For the checks. */
__attribute__((format(printf, 2, 3))) void tp_found(struct tp_finding *f, const char *fmt, ...);
void tp_limits(struct tp_finding *f, const char *means, const char *todo);
void tp_breaks(struct tp_finding *f, const char *means, const char *todo);

/* The number, or the first line, in a file of /proc or /sys; -1 or negative errno if there is none.
 */
long long tp_number_in(const char *path);
int tp_line_in(const char *path, char *buf, int size);

#endif
