/* SPDX-License-Identifier: MIT */
#ifndef TP_ARCH_ELFARCH_H
#define TP_ARCH_ELFARCH_H

/* What the ELF files of this machine look like. */

#include <elf.h>

#define ARCH_ELF_MACHINE      EM_X86_64
#define ARCH_ELF_MACHINE_NAME "x86_64"

/* In the GNU property note: the features that every object of the file has, as a bit mask. */
#define ARCH_ELF_FEATURE_AND  0xc0000002 /* GNU_PROPERTY_X86_FEATURE_1_AND */

/* Bits of that mask, and how the plan calls them. */
#define ARCH_ELF_FEATURES { { 1u << 0, TP_PROPERTY_X86_IBT }, { 1u << 1, TP_PROPERTY_X86_SHSTK } }

#endif
