/* SPDX-License-Identifier: MIT */
/*
 * The size classes: steps of 16 bytes up to 128, then a quarter of the power of two; from 4 KiB on what divides a slab with little left over.
 * Powers of two, and multiples of larger alignments, keep their alignment, since slabs start on 64 KiB. The tables' agreement with each
 * other is tested in tests/unit/libtp/heap-class.c.
 */
#include "heap-class.h"

#define AT_LEAST(n, min) ((n) > (min) ? (n) : (min))
#define AT_MOST(n, max)	 ((n) < (max) ? (n) : (max))

#define ALL(size, units) ((units) * 65536 / (size))

#define CLASS(size_, units_, first_, shift_, line_)                                                \
	{                                                                                          \
		.step = UINT64_MAX / (size_) + 1,                                                  \
		.size = (size_),                                                                   \
		.first = (first_) + (shift_),                                                      \
		.cap = ALL(size_, units_) - (first_),                                              \
		.batch = AT_LEAST(4096 / (size_), 1),                                              \
		.worth = AT_LEAST((ALL(size_, units_) - (first_)) / 8, 1),                         \
		.shift = (shift_),                                                                 \
		.line = (line_),                                                                   \
		.units = (units_),                                                                 \
		.held_max = (uint8_t)AT_LEAST(AT_MOST(ALL(size_, units_) / 4, 32), 4),             \
	}

/* Few blocks: their links are in the slab's entry. */
#define FEW(size, units) CLASS(size, units, 0, 1, 0)

/*
 * Many: links take the place of the first blocks, from a line of the slab's on; one link more, for what is left at the end. If all classes
 * had them on the first line, caches would have to keep those of all slabs in one place: they all start on 64 KiB.
 */
#define DENSE(size, line)                                                                          \
	CLASS(size, 1, (64 * (line) + 2 * (65536 / (size) + 1) + (size) - 1) / (size), 0, line)

const struct tpi_class tpi_class[64] = {
	DENSE(16, 0), DENSE(32, 0), DENSE(48, 0), DENSE(64, 6),
	DENSE(80, 7), DENSE(96, 8), DENSE(112, 10), DENSE(128, 12),
	DENSE(160, 14), DENSE(192, 15), DENSE(224, 5), DENSE(256, 3),
	DENSE(320, 2), DENSE(384, 0), DENSE(448, 2), DENSE(512, 3),
	DENSE(640, 6), DENSE(768, 9), DENSE(896, 11), DENSE(1024, 13),
	DENSE(1280, 17), FEW(1536, 1), FEW(1792, 1), FEW(2048, 1),
	FEW(2560, 1), FEW(3072, 1), FEW(3584, 1), FEW(4096, 1),
	FEW(5120, 1), FEW(5632, 1), FEW(6144, 1), FEW(7168, 1),
	FEW(8192, 1), FEW(9216, 1), FEW(10752, 1), FEW(12800, 1),
	FEW(16384, 1),
	FEW(20480, 8), FEW(24576, 8), FEW(28672, 8), FEW(32768, 8),
	FEW(40960, 8), FEW(49152, 8), FEW(57344, 8), FEW(65536, 8),
	FEW(81920, 8), FEW(102400, 8), FEW(131072, 8),
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
