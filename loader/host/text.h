/* SPDX-License-Identifier: MIT */
/* What is to be rewritten in the text of a file, found once and remembered for the whole group. */
#pragma once

#include "earlyinit.h"
#include "image.h"
#include "sites.h"

#define TPI_SITES_MAX	192
#define TPI_PATCHES_MAX 16

/* What identifies a file's content. */
struct tpi_file {
	uint64_t key[5];
};

struct tpi_text {
	struct tpi_file file;
	uint64_t off, len;   /* which part of it */
	uint32_t state;
	enum tpi_role role;
	uint32_t nsites, npatches;
	uint32_t warnings;   /* TP_WARN_* */
	uint32_t shared;     /* enum tpi_sharing */
	uint32_t libc;	     /* of an interpreter: index + 1 of the libc that it mapped last */
	uint32_t used;	     /* it was rewritten for this many programs */
	uint64_t bias_off;   /* text - load address */
	uint64_t head_len;   /* bytes from the load address that are read-only and lie as in the file, the text among them */
	uint64_t shared_off; /* in the shared texts' memfd */
	int64_t flag_off;    /* from the text to a static executable's single-thread flag, to be cleared; 0: none */
	struct arch_patch patches[TPI_PATCHES_MAX];
	struct arch_site sites[TPI_SITES_MAX];
};

bool tpi_file_of(int fd, struct tpi_file *ret);

/*
 * The facts about the text that is mapped at [text, text + len) from offset `off` of fd, whose load address is known unless
 * role is TPI_ROLE_LOADED: then the file itself tells. NULL: nothing to do.
 */
struct tpi_text *tpi_text_facts(struct tp_control *c, int fd, uint64_t text, uint64_t len, uint64_t off,
				enum tpi_role role, uint64_t bias);

/* To be called when they have been used: the entry of a full table was for once. */
void tpi_text_release(struct tp_control *c, struct tpi_text *t);

/* Known facts of the part at `off` of a file, or NULL. */
struct tpi_text *tpi_text_known(const struct tpi_file *file, uint64_t off);
struct tpi_text *tpi_text_by_number(uint32_t number);
uint32_t tpi_text_number(const struct tpi_text *t); /* 0: it is not in the table */

/* A new entry, for its claimer alone until it is published; NULL: the table is full. */
struct tpi_text *tpi_text_claim(void);
void tpi_text_publish(struct tpi_text *t);

/* facts.c: a file of what was found in earlier groups. The path is kept; NULL: there is no such file. */
void tpi_facts_load(const char *path);
void tpi_facts_store(const struct tpi_text *t, int text_fd);
