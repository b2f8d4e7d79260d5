/* SPDX-License-Identifier: MIT */
/* For assembly and C: a stub's raw entry lies this many bytes before its second half (see stub.c). */
#pragma once

#define ARCH_STUB_RAW_BACK 5
