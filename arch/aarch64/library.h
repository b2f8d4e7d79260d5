/* SPDX-License-Identifier: MIT */
/*
 * What the library must bring along for the code that compilers make. To be included once in each library.
 *
 * gcc's atomic operations are calls into its own library, which takes the instructions of ARMv8.1 where the processor has them. Whether it
 * has is found out by __getauxval, which glibc offers and musl does not: then it is this one. Weak: a static glibc brings its own.
 */
#pragma once

#include <sys/auxv.h>

unsigned long __getauxval(unsigned long type);

__attribute__((weak, visibility("hidden"))) unsigned long __getauxval(unsigned long type)
{
	return getauxval(type);
}
