/* SPDX-License-Identifier: MIT */
#ifndef TP_SUPERVISE_STAGES_H
#define TP_SUPERVISE_STAGES_H

#include <stdint.h>

/* What was being done, in words: "changing to the working directory". Never NULL. */
const char *tp_stage_words(uint32_t stage);

#endif
