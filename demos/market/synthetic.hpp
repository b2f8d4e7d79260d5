// SPDX-License-Identifier: MIT
//
// A market that does not exist: orders around prices that wander at random. The same seed makes the same market.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "market.hpp"

class synthetic_market
{
public:
	explicit synthetic_market(unsigned seed = 1) : random_(seed)
	{
	}

	tp::unique_ptr<event> next()
	{
		std::uint64_t dice = random_() % 100;

		if (live_.size() < 200 || (dice < 45 && live_.size() < 20000))
			return place();
		std::size_t at = random_() % live_.size();
		if (dice < 75)
			return end(happening::cancelled, at);
		if (dice < 90)
			return end(happening::executed, at);
		return replace(at);
	}

private:
	static constexpr const char *names[] = {"ALPHA", "BRAVO", "CHARLIE", "DELTA", "ECHO", "FOXTROT", "GOLF", "HOTEL"};
	static constexpr std::size_t symbols = sizeof(names) / sizeof(names[0]);

	struct known {
		std::uint64_t reference;
		std::size_t symbol;
		bool buys;
	};

	tp::shared_ptr<const order> make_order(std::size_t symbol, bool buys)
	{
		std::uint32_t &middle = middle_[symbol];
		std::uint32_t away = 100 * (1 + random_() % 20);

		middle += random_() % 3 * 100 - 100;
		middle = middle < 500000 ? 500000 : middle;
		return tp::make_shared<order>(order{++last_reference_, names[symbol], buys,
			static_cast<std::uint32_t>(100 * (1 + random_() % 10)), buys ? middle - away : middle + away});
	}

	tp::unique_ptr<event> place()
	{
		auto e = tp::make_unique<event>();
		std::size_t symbol = random_() % symbols;

		e->what = happening::placed;
		e->placed = make_order(symbol, random_() % 2);
		e->reference = e->placed->reference;
		live_.push_back({e->reference, symbol, e->placed->buys});
		return e;
	}

	tp::unique_ptr<event> end(happening what, std::size_t at)
	{
		auto e = tp::make_unique<event>();

		e->what = what;
		e->reference = live_[at].reference;
		live_[at] = live_.back();
		live_.pop_back();
		return e;
	}

	tp::unique_ptr<event> replace(std::size_t at)
	{
		auto e = tp::make_unique<event>();

		e->what = happening::replaced;
		e->reference = live_[at].reference;
		e->placed = make_order(live_[at].symbol, live_[at].buys);
		live_[at].reference = e->placed->reference;
		return e;
	}

	std::mt19937_64 random_;
	std::uint64_t last_reference_ = 0;
	std::uint32_t middle_[symbols] = {1000000, 1000000, 1000000, 1000000, 1000000, 1000000, 1000000, 1000000};
	std::vector<known> live_;
};
