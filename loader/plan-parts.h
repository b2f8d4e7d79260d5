/* SPDX-License-Identifier: MIT */
#ifndef TP_LOADER_PLAN_PARTS_H
#define TP_LOADER_PLAN_PARTS_H

/* What the files plan*.c tell each other; nobody else includes this. */

#include <elf.h>

#include "plan.h"

/* One ELF file being turned into a plan. */
struct tpi_reader {
	const struct tp_elf *elf;
	const char *name;
	struct tp_error *err;
	struct tp_plan *plan;
	Elf64_Ehdr ehdr;
	const Elf64_Phdr *phdr; /* plan->phnum of them */
};

#define TPI_REFUSE(reader, error, ...)                                                             \
	tp_error_named((reader)->err, TP_STATUS_NOT_EXECUTABLE, error, (reader)->name,             \
		"cannot be run: " __VA_ARGS__)

/* plan-segments.c: fill in map[], nmap, lo, hi, align. Returns 0 or a refusal. */
int tpi_plan_segments(struct tpi_reader *r);

/* plan-hints.c: fill in property and flavour. Never fails: what cannot be read gives no hint. */
void tpi_plan_hints(struct tpi_reader *r);

#endif
