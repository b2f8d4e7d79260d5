// SPDX-License-Identifier: MIT
//
// What the four programs hand to one another. It all lies on the group's heap, so that it outlives whoever made it.
//
//	feed ──event──► book ──tick──► momentum
//	                     ──tick──► imbalance
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>

#include <tp/tp.hpp>

#include "histogram.hpp"

// A resting order, as it was placed. It never changes: the book counts what is left of it.
struct order {
	std::uint64_t reference;
	tp::string symbol;
	bool buys;
	std::uint32_t shares;
	std::uint32_t price; // in 1/10,000 dollar, as the exchange gives it
};
TP_TYPE(order, "order@1")

enum class happening { placed, executed, cancelled, replaced };

// One message of the exchange.
struct event {
	happening what;
	std::uint64_t reference;            // of the order that it is about
	std::uint32_t shares;               // executed or cancelled; all that are left where it is 0
	tp::shared_ptr<const order> placed; // the new order; of `replaced`, what comes instead
	std::int64_t sent_ns;
};
TP_TYPE(event, "event@1")

// All orders of one price. The orders are those that feed made.
struct level {
	std::uint32_t price;
	std::uint64_t shares;
	tp::vector<tp::shared_ptr<const order>> first; // the first ones in the queue
};

// The best prices of a symbol, after they have changed or orders have met.
struct tick {
	std::uint64_t number; // 1, 2, 3 …: each strategy gets all of them
	tp::string symbol;
	tp::vector<level> bids; // best first
	tp::vector<level> asks;
	std::int64_t sent_ns; // when feed sent the event
};
TP_TYPE(tick, "tick@1")

// What a strategy leaves behind when it is killed: its successor goes on from here. The screen reads it meanwhile.
struct journal {
	std::atomic<std::uint64_t> last;     // number of the last tick that was worked on
	std::atomic<std::uint64_t> ticks;    // worked on
	std::atomic<std::uint64_t> repeated; // came again, after a death, though they had been worked on
	std::atomic<std::uint64_t> lost;     // numbers that were left out
	std::atomic<std::uint64_t> starts;   // programs that have kept this journal
	std::atomic<std::int64_t> position;  // in shares
	std::atomic<std::uint32_t> done;
	histogram latency; // from feed's sending to the strategy's decision
};
TP_TYPE(journal, "journal@1")

inline std::int64_t now_ns()
{
	timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * std::int64_t(1000000000) + t.tv_nsec;
}
