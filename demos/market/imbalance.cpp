// SPDX-License-Identifier: MIT
//
// Follows the larger side of the queue at the best price: the orders themselves are looked at, where feed made them.
#include "strategy.hpp"

static std::int64_t waiting(const tp::vector<level> &side)
{
	std::int64_t shares = 0;

	if (!side.empty())
		for (const tp::shared_ptr<const order> &o : side[0].first)
			shares += o->shares;
	return shares;
}

static void imbalance(const arguments &)
{
	run_strategy("imbalance", [](const tick &t) {
		std::int64_t bids = waiting(t.bids), asks = waiting(t.asks);

		return bids > 3 * asks ? 100 : asks > 3 * bids ? -100 : 0;
	});
}

int main(int argc, char **argv)
{
	return run_command("imbalance", "", argc, argv, 0, 0, imbalance);
}
