// SPDX-License-Identifier: MIT
//
// Sends what happens at the exchange, at an even rate: from an ITCH file if one is given, else made up.
#include <cstdio>
#include <thread>

#include "command.hpp"
#include "itch.hpp"
#include "market.hpp"
#include "synthetic.hpp"

using namespace std::chrono;

template <typename Source> static void send_all(Source &source, double seconds, double rate)
{
	tp::lane<event> to_book("market.events");
	steady_clock::time_point begin = steady_clock::now(), end = begin + duration_cast<nanoseconds>(duration<double>(seconds));
	std::uint64_t sent = 0;

	while (steady_clock::now() < end) {
		std::uint64_t due = duration<double>(steady_clock::now() - begin).count() * rate;

		for (; sent < due; sent++) {
			auto e = source.next();
			if (!e)
				return;
			e->sent_ns = now_ns();
			to_book.give(std::move(e));
		}
		std::this_thread::sleep_for(1ms);
	}
}

static void feed(const arguments &args)
{
	double seconds = to_number(args.at(0)), rate = to_number(args.at(1));

	if (args.size() > 2) {
		itch_file file(args[2]);
		std::printf("feed: %s, %.0f events a second\n", args[2].c_str(), rate);
		std::fflush(stdout);
		send_all(file, seconds, rate);
	} else {
		synthetic_market market;
		std::printf("feed: SYNTHETIC data (give an ITCH 5.0 file for real ones), %.0f events a second\n", rate);
		std::fflush(stdout);
		send_all(market, seconds, rate);
	}
}

int main(int argc, char **argv)
{
	return run_command("feed", "SECONDS EVENTS-A-SECOND [ITCH-FILE]", argc, argv, 2, 3, feed);
}
