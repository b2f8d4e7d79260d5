/* SPDX-License-Identifier: MIT */
/* What is to be rewritten in the text of a file, found once and remembered for the whole group. */
#pragma once

#include "earlyinit.h"
#include "image.h"
#include "sites.h"

#define TPI_SITES_MAX	192
#define TPI_PATCHES_MAX 16

struct tpi_text {
	uint64_t key[5];
	uint32_t state;
	uint32_t nsites, npatches;
	uint32_t warnings; /* TP_WARN_* */
	int64_t flag_off;  /* from the text to a static executable's single-thread flag, to be cleared; 0: none */
	struct arch_patch patches[TPI_PATCHES_MAX];
	struct arch_site sites[TPI_SITES_MAX];
};

/*
 * The facts about the text that is mapped at [text, text + len) from offset `off` of fd. NULL: nothing to do.
 * `role`: TPI_ROLE_LOADED lets the file itself tell.
 */
const struct tpi_text *tpi_text_facts(struct tp_control *c, int fd, uint64_t text, uint64_t len, uint64_t off,
				      enum tpi_role role);
