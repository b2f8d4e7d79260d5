// SPDX-License-Identifier: MIT
//
// Counts of durations, in steps of about 3 %: 32 for each doubling. One program counts, others may read at the same time.
#pragma once

#include <atomic>
#include <cstdint>

class histogram
{
public:
	void count(std::int64_t ns) noexcept
	{
		std::atomic<std::uint64_t> &n = counts_[step_of(ns < 0 ? 0 : ns)];

		n.store(n.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
	}

	// What this part of all durations does not exceed, in ns; 0 where there are none.
	std::int64_t percentile(double part) const noexcept
	{
		std::uint64_t all = 0, seen = 0;

		for (const auto &n : counts_)
			all += n.load(std::memory_order_relaxed);
		for (unsigned step = 0; step < steps; step++) {
			seen += counts_[step].load(std::memory_order_relaxed);
			if (seen && seen >= part * all)
				return end_of(step);
		}
		return 0;
	}

private:
	static constexpr unsigned sub = 32, steps = 40 * sub;

	static unsigned step_of(std::uint64_t ns) noexcept
	{
		if (ns < 2 * sub)
			return ns;
		unsigned doublings = 63 - __builtin_clzll(ns) - 5; // ns >> doublings is from 32 to 63
		unsigned step = doublings * sub + (ns >> doublings);

		return step < steps ? step : steps - 1;
	}
	static std::int64_t end_of(unsigned step) noexcept
	{
		if (step < 2 * sub)
			return step;
		unsigned doublings = step / sub - 1;

		return (std::int64_t(step % sub + sub + 1) << doublings) - 1;
	}

	std::atomic<std::uint64_t> counts_[steps];
};
