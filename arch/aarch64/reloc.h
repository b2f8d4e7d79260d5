/* SPDX-License-Identifier: MIT */
/* Relocation types by what they do. */
#pragma once

#define ARCH_R_GLOB_DAT 1025 /* R_AARCH64_GLOB_DAT: the address of a symbol, in the GOT */
