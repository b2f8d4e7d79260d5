/* SPDX-License-Identifier: MIT */
/* cmocka and what it wants included first. */
#ifndef TP_UNIT_SUPERVISE_UNIT_H
#define TP_UNIT_SUPERVISE_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
