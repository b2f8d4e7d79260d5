/* SPDX-License-Identifier: MIT */
/* Rewritten images that all programs of the group map instead of rewriting their own: text, and what else is read-only. */
#pragma once

#include "text.h"

enum tpi_sharing { TPI_SHARED_NO = 0, TPI_SHARED_BUSY, TPI_SHARED_READY, TPI_SHARED_NEVER };

/* At the host's start: makes the memfd. Without it every program rewrites its own text. */
void tpi_shared_init(void);

/* Any task: makes the shared copy of a text that is mapped, unchanged, at `text`. */
void tpi_shared_build(struct tpi_text *t, uint64_t text);

/* The offset from a unit's base where the shared copy of this image is mapped: t->head_len bytes. */
uint64_t tpi_shared_place(const struct tpi_text *t);

static inline bool tpi_shared_ready(const struct tpi_text *t)
{
	return __atomic_load_n(&t->shared, __ATOMIC_ACQUIRE) == TPI_SHARED_READY;
}

/* The host only, which has the memfd: maps the copy, or the stubs of all copies, into a unit. Result as of mmap. */
long tpi_shared_map(const struct tpi_text *t, uint64_t unit_base);
long tpi_shared_map_stubs(uint64_t unit_base);
