/* SPDX-License-Identifier: MIT */
/* Blocks above TPI_CLASS_MAX, or aligned beyond a unit: a run each. */
#ifndef TPI_HEAP_SPAN_H
#define TPI_HEAP_SPAN_H

#include "heap-engine.h"

/* Return: 0, -ENOSPC. ret_zero: the memory reads as zero. */
int tpi_span_alloc(struct tpi_heap *t, size_t size, size_t align, void **ret_ptr, bool *ret_zero) TPI_HIDDEN;
/* A span's block, which is to have fewer bytes: at once. */
void tpi_span_shrink(struct tpi_heap *t, void *block, size_t size) TPI_HIDDEN;
/* 0, or -EAGAIN: the word has changed, look again. */
int tpi_span_free(struct tpi_heap *t, uint32_t head, uint64_t word) TPI_HIDDEN;

#endif
