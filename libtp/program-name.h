/* SPDX-License-Identifier: MIT */
/* Whose is it? For what people read. In a group only. */
#ifndef TPI_PROGRAM_NAME_H
#define TPI_PROGRAM_NAME_H

#include "core.h"

/* The program that a tag stands for, dead or alive; 0: none, or its entry is another's by now. */
tp_id tpi_tag_holder(uint32_t tag) TPI_HIDDEN;

/* The program in whose slot an address lies; 0: none. */
tp_id tpi_slot_holder(uint64_t addr) TPI_HIDDEN;

/* Its name, copied; false: nobody knows any more, and the room is as it was. A dead program's entry keeps the name until it is another's. */
bool tpi_program_known(tp_id id, char room[TP_NAME_MAX]) TPI_HIDDEN;

/* Its name in `room`, or words that say that it is gone. */
const char *tpi_program_in_words(tp_id id, char room[TP_NAME_MAX]) TPI_HIDDEN;

/* As an argument of tpi_fail; the room lasts as long as the block that the call stands in. */
#define tpi_program_name(id) tpi_program_in_words(id, (char[TP_NAME_MAX]){""})

#endif
