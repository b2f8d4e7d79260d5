/* SPDX-License-Identifier: MIT */
/*
 * boost-queue-figures [ROUNDS]: round trips of a pointer by two message_queues of Boost.Interprocess, as a peer of channels, between two
 * processes on two CPUs. One line: name, median, p99.9 of single trips; medians of the rounds.
 */
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/interprocess/ipc/message_queue.hpp>

#include "trips.h"

namespace ipc = boost::interprocess;

namespace {

struct queues {
	ipc::message_queue there, back;
};

void put(ipc::message_queue &q, uint64_t p)
{
	q.send(&p, sizeof(p), 0);
}

uint64_t get(ipc::message_queue &q)
{
	ipc::message_queue::size_type size;
	unsigned priority;
	uint64_t p = 0;

	q.receive(&p, sizeof(p), size, priority);
	return p;
}

void trip(void *arg, uint32_t number)
{
	auto *q = static_cast<queues *>(arg);

	put(q->there, number);
	if (get(q->back) != number) {
		fprintf(stderr, "boost-queue-figures: another pointer came back\n");
		exit(1);
	}
}

[[noreturn]] void echo(queues &q)
{
	pin(1);
	for (int i = 0; i < TRIPS_ALL; i++)
		put(q.back, get(q.there));
	_exit(0);
}

trips by_processes(queues &q)
{
	pid_t pid = fork();

	if (pid < 0) {
		perror("boost-queue-figures: fork");
		exit(1);
	}
	if (pid == 0)
		echo(q);
	trips t = measure_trips(trip, &q);
	waitpid(pid, nullptr, 0);
	return t;
}

} // namespace

int main(int argc, char **argv)
{
	static double medians[99], tails[99];
	int rounds = argc > 1 ? atoi(argv[1]) : 3;
	const std::string name = "boost-queue-figures-" + std::to_string(getpid());

	rounds = rounds < 1 || rounds > 99 ? 3 : rounds;
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		return 0;
	queues q{{ipc::create_only, (name + "-there").c_str(), 1024, 8}, {ipc::create_only, (name + "-back").c_str(), 1024, 8}};
	/* Both are mapped already; nothing is left behind whatever happens. */
	ipc::message_queue::remove((name + "-there").c_str());
	ipc::message_queue::remove((name + "-back").c_str());
	pin(0);
	for (int round = 0; round < rounds; round++) {
		const trips t = by_processes(q);

		medians[round] = t.median;
		tails[round] = t.p999;
	}
	print_trips("boost-queue", medians, tails, rounds);
	return 0;
}
