// SPDX-License-Identifier: MIT
//
// Shows what the strategies' journals say, by looking at them where they are: nobody is asked, nobody notices. Where there is no terminal,
// one line a second for each.
#include <chrono>
#include <cstdio>
#include <thread>

#include <unistd.h>

#include "command.hpp"
#include "market.hpp"

using namespace std::chrono;

static void show(const std::string &name, const journal &j)
{
	std::printf("%-10s %9llu ticks   p50 %8.1f us   p99 %8.1f us   p99.99 %8.1f us   %llu lost, %llu repeated, position %lld\n",
		name.c_str(), static_cast<unsigned long long>(j.ticks), j.latency.percentile(0.5) / 1e3,
		j.latency.percentile(0.99) / 1e3, j.latency.percentile(0.9999) / 1e3, static_cast<unsigned long long>(j.lost),
		static_cast<unsigned long long>(j.repeated), static_cast<long long>(j.position));
}

static void screen(const arguments &args)
{
	bool terminal = isatty(STDOUT_FILENO), all_done = false;
	std::vector<journal *> journals;

	for (const std::string &name : args)
		journals.push_back(tp::wait<journal>(("market.journal." + name).c_str(), 30s).get());
	for (bool first = true; !all_done; first = false) {
		std::this_thread::sleep_for(terminal ? 200ms : 1000ms);
		if (terminal && !first)
			std::printf("\033[%zuA", args.size());
		all_done = true;
		for (std::size_t i = 0; i < args.size(); i++) {
			show(args[i], *journals[i]);
			all_done = all_done && journals[i]->done;
		}
		std::fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	return run_command("screen", "STRATEGY...", argc, argv, 1, 16, screen);
}
