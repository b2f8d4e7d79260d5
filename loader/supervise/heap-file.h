/* SPDX-License-Identifier: MIT */
/* The file behind the group's heap. */
#ifndef TP_SUPERVISE_HEAP_FILE_H
#define TP_SUPERVISE_HEAP_FILE_H

#include <stdint.h>

/* No heap is smaller: one huge page. */
#define TP_HEAP_FILE_MIN UINT64_C(0x200000)

/* How large a heap is when nobody says: half of the machine's memory, as tmpfs has it, less where a limit of ours is lower. */
uint64_t tp_heap_default_size(void);

/* Whole 2 MiB, at most TP_HEAP_MAX. Return: the descriptor, or a negative errno. */
int tp_heap_file_create(uint64_t size);

#endif
