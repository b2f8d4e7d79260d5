// SPDX-License-Identifier: MIT
//
// Buys what rises and sells what falls.
#include <string>
#include <unordered_map>

#include "strategy.hpp"

static void momentum(const arguments &)
{
	std::unordered_map<std::string, std::int64_t> trend;

	run_strategy("momentum", [&](const tick &t) {
		if (t.bids.empty() || t.asks.empty())
			return 0;
		std::int64_t middle = (std::int64_t(t.bids[0].price) + t.asks[0].price) / 2;
		std::int64_t &smooth = trend.try_emplace(t.symbol.c_str(), middle).first->second;

		smooth += (middle - smooth) / 16;
		return middle > smooth + 200 ? 100 : middle < smooth - 200 ? -100 : 0;
	});
}

int main(int argc, char **argv)
{
	return run_command("momentum", "", argc, argv, 0, 0, momentum);
}
