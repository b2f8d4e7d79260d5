/* SPDX-License-Identifier: MIT */
#ifndef TP_TPRUN_SIZE_H
#define TP_TPRUN_SIZE_H

#include <stdint.h>

/* "4096", "512M", "8g": bytes, or with K, M, G, T behind the number units of 1024 each. Return: 0;
 * -EINVAL; -ERANGE. */
int tp_size_parse(const char *text, uint64_t *ret_bytes);

#endif
