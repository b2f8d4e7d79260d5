/* SPDX-License-Identifier: MIT */
#ifndef TP_ARCH_ELFARCH_H
#define TP_ARCH_ELFARCH_H

/* What the ELF files of this machine look like. */

#include <elf.h>

#define ARCH_ELF_MACHINE      EM_AARCH64
#define ARCH_ELF_MACHINE_NAME "aarch64"

/* In the GNU property note: the features that every object of the file has, as a bit mask. */
#define ARCH_ELF_FEATURE_AND  0xc0000000 /* GNU_PROPERTY_AARCH64_FEATURE_1_AND */

/* Bits of that mask, and how the plan calls them. */
#define ARCH_ELF_FEATURES { { 1u << 0, TP_PROPERTY_ARM_BTI }, { 1u << 1, TP_PROPERTY_ARM_PAC } }

#endif
