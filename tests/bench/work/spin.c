/* SPDX-License-Identifier: MIT */
/*
 * spin CPU [MS]: read the clock without a pause and count the gaps in it. ops: gaps above 5 us;
 * extra[0]: their sum in ns; extra[1]: the longest.
 */
#include "work.h"

#define GAP_NS 5000

static uint64_t length_ns;

static void slice(struct work_report *report)
{
	uint64_t last = work_now(), end = last + length_ns;

	report->ops = 0;
	while (last < end) {
		uint64_t now = work_now(), gap = now - last;

		last = now;
		if (gap <= GAP_NS)
			continue;
		report->ops++;
		report->extra[0] += gap;
		if (gap > report->extra[1])
			report->extra[1] = gap;
	}
}

int main(int argc, char **argv)
{
	work_pin((int)work_arg(argc, argv, 1, -1));
	length_ns = (uint64_t)work_arg(argc, argv, 2, 200) * 1000000u;
	work_serve(slice);
}
