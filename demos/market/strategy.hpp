// SPDX-License-Identifier: MIT
//
// What strategies have in common: receive ticks, decide, keep the journal. Killed at any point and started again, a strategy goes on where it
// was: ticks that it had not acknowledged come again, and the journal tells which of them had been worked on.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "command.hpp"
#include "market.hpp"

// The journal of the program that had this name before, if there was one.
inline journal *open_journal(const std::string &name)
{
	journal *j = nullptr;

	if (tp::try_lookup(name.c_str(), &j) < 0)
		j = tp::make<journal>();
	tp::publish(name.c_str(), *j, TP_PUBLISH_KEEP);
	j->starts++;
	return j;
}

template <typename Decide> void work_on(const tick &t, journal &j, Decide decide)
{
	if (t.number <= j.last) {
		j.repeated++;
		return;
	}
	j.lost += t.number - j.last - 1;
	j.position += decide(t);
	j.latency.count(now_ns() - t.sent_ns);
	j.ticks++;
	j.last = t.number;
}

// Ticks are acknowledged 32 at a time: a strategy that is killed gets up to so many again.
template <typename Decide> void run_strategy(const std::string &name, Decide decide)
{
	tp::channel<tick> ticks(("market.ticks." + name).c_str());
	journal &j = *open_journal("market.journal." + name);
	std::vector<tp::message<tick>> done;

	while (auto t = ticks.receive()) {
		work_on(*t, j, decide);
		done.push_back(std::move(t));
		if (done.size() == 32)
			done.clear();
	}
	done.clear();
	j.done = 1;
	std::printf("%s: %llu ticks, %llu lost, %llu repeated, started %llu times\n", name.c_str(),
		static_cast<unsigned long long>(j.ticks), static_cast<unsigned long long>(j.lost),
		static_cast<unsigned long long>(j.repeated), static_cast<unsigned long long>(j.starts));
}
