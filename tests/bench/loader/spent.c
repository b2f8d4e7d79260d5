/* SPDX-License-Identifier: MIT */
/*
 * Inside, supervisor and host work for a program, and we do; programs are the host's children as
 * far as counting goes. Outside, it is us and our children. The last one's memory is given back
 * after its exit is known, so there is a pause.
 */
#include "spent.h"

#include <unistd.h>

#include "start-exit.h"

#define SETTLE_US 50000

static double inside(struct bench_group *g, int launches, const struct bench_counter *group,
	const struct bench_counter *self)
{
	double before = bench_counter_read(group) + bench_counter_read(self);

	for (int i = 0; i < launches; i++)
		bench_start_exit_inside(g);
	usleep(SETTLE_US);
	return (bench_counter_read(group) + bench_counter_read(self) - before) / launches;
}

static double outside(int launches, const struct bench_counter *self)
{
	double before = bench_counter_read(self);

	for (int i = 0; i < launches; i++)
		bench_start_exit_outside();
	return (bench_counter_read(self) - before) / launches;
}

int bench_spent_measure(
	struct bench_group *g, enum bench_count what, int launches, struct bench_spent *ret_spent)
{
	struct tp_wire_info info = bench_group_info(g);
	struct bench_counter group, self;
	int err =
		bench_counter_open(&group, what, (pid_t[]){info.supervisor_pid, info.host_pid}, 2);

	if (err)
		return err;
	err = bench_counter_open(&self, what, (pid_t[]){0}, 1);
	if (!err) {
		ret_spent->inside = inside(g, launches, &group, &self);
		ret_spent->outside = outside(launches, &self);
		bench_counter_close(&self);
	}
	bench_counter_close(&group);
	return err;
}
