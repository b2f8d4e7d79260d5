/* SPDX-License-Identifier: MIT */
/*
 * The size classes: steps of 16 bytes up to 128, then a quarter of the power of two; from 4 KiB on what divides a slab with little left over.
 * Powers of two, and multiples of larger alignments, keep their alignment, since slabs start on 64 KiB. The tables' agreement with each
 * other is tested in tests/unit/libtp/heap-class.c.
 */
#include "heap-class.h"

#define AT_LEAST(n, min) ((n) > (min) ? (n) : (min))
#define AT_MOST(n, max)	 ((n) < (max) ? (n) : (max))

/* Few blocks: their links are in the slab's entry. Many: two bytes more a block. */
#define IN_ENTRY(size, units)	  ((units) * 65536 / (size) <= TP_HEAP_LINKS)
#define CAP(size, units)	  (IN_ENTRY(size, units) ? (units) * 65536 / (size) : (units) * 65536 / ((size) + 2))

#define CLASS(size_, units_)                                                                       \
	{                                                                                          \
		.step = UINT64_MAX / (size_) + 1,                                                  \
		.size = (size_),                                                                   \
		.links = IN_ENTRY(size_, units_) ? 0 : (units_) * 65536 - 2 * CAP(size_, units_),  \
		.cap = CAP(size_, units_),                                                         \
		.batch = AT_LEAST(4096 / (size_), 1),                                              \
		.worth = AT_LEAST(CAP(size_, units_) / 8, 1),                                      \
		.units = (units_),                                                                 \
		.held_max = AT_LEAST(AT_MOST(CAP(size_, units_) / 4, 32), 4),                      \
	}

const struct tpi_class tpi_class[64] = {
	CLASS(16, 1), CLASS(32, 1), CLASS(48, 1), CLASS(64, 1),
	CLASS(80, 1), CLASS(96, 1), CLASS(112, 1), CLASS(128, 1),
	CLASS(160, 1), CLASS(192, 1), CLASS(224, 1), CLASS(256, 1),
	CLASS(320, 1), CLASS(384, 1), CLASS(448, 1), CLASS(512, 1),
	CLASS(640, 1), CLASS(768, 1), CLASS(896, 1), CLASS(1024, 1),
	CLASS(1280, 1), CLASS(1536, 1), CLASS(1792, 1), CLASS(2048, 1),
	CLASS(2560, 1), CLASS(3072, 1), CLASS(3584, 1), CLASS(4096, 1),
	CLASS(5120, 1), CLASS(5632, 1), CLASS(6144, 1), CLASS(7168, 1),
	CLASS(8192, 1), CLASS(9216, 1), CLASS(10752, 1), CLASS(12800, 1),
	CLASS(16384, 1),
	CLASS(20480, 8), CLASS(24576, 8), CLASS(28672, 8), CLASS(32768, 8),
	CLASS(40960, 8), CLASS(49152, 8), CLASS(57344, 8), CLASS(65536, 8),
	CLASS(81920, 8), CLASS(102400, 8), CLASS(131072, 8),
};

/* [n]: up to 16 n bytes */
const uint8_t tpi_class_of_16[TPI_SMALL_MAX / 16 + 1] = {
	0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 9, 9, 10, 10, 11,
	11, 12, 12, 12, 12, 13, 13, 13, 13, 14, 14, 14, 14, 15, 15, 15,
	15, 16, 16, 16, 16, 16, 16, 16, 16, 17, 17, 17, 17, 17, 17, 17,
	17, 18, 18, 18, 18, 18, 18, 18, 18, 19, 19, 19, 19, 19, 19, 19,
	19,
};

/* [n]: up to 256 (n + 1) bytes; those below 1 KiB are in the table above */
const uint8_t tpi_class_of_256[TPI_MEDIUM_MAX / 256] = {
	11, 15, 17, 19, 20, 21, 22, 23, 24, 24, 25, 25, 26, 26, 27, 27,
	28, 28, 28, 28, 29, 29, 30, 30, 31, 31, 31, 31, 32, 32, 32, 32,
	33, 33, 33, 33, 34, 34, 34, 34, 34, 34, 35, 35, 35, 35, 35, 35,
	35, 35, 36, 36, 36, 36, 36, 36, 36, 36, 36, 36, 36, 36, 36, 36,
};

/* [n]: up to 4096 (n + 1) bytes */
const uint8_t tpi_class_of_4096[TPI_CLASS_MAX / 4096] = {
	27, 32, 35, 36, 37, 38, 39, 40, 41, 41, 42, 42, 43, 43, 44, 44,
	45, 45, 45, 45, 46, 46, 46, 46, 46, 47, 47, 47, 47, 47, 47, 47,
};
