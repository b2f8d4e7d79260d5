// SPDX-License-Identifier: MIT
//
// The orders of each symbol, by price and, within a price, by when they came. The orders themselves are the objects that feed made.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <unordered_map>

#include "market.hpp"

class order_book
{
public:
	// The symbol whose best prices an event has changed; null where they are as they were, or the order is not known.
	const std::string *apply(const event &e)
	{
		const std::string *left = nullptr, *came = nullptr;

		if (e.what != happening::placed)
			left = take_off(e.reference, e.what == happening::replaced ? 0 : e.shares);
		if (e.placed)
			came = put_on(e.placed);
		return came ? came : left;
	}

	// The best `depth` levels, with the first orders of each.
	void best(const std::string &symbol, std::size_t depth, tick &to) const
	{
		const side_pair &sides = symbols_.at(symbol);

		copy(sides.bids, depth, to.bids);
		copy(sides.asks, depth, to.asks);
	}

private:
	struct resting {
		tp::shared_ptr<const order> placed;
		std::uint32_t left;
	};
	struct price_level {
		std::list<resting> queue;
		std::uint64_t shares = 0;
	};
	template <typename Better> using one_side = std::map<std::uint32_t, price_level, Better>;
	struct side_pair {
		one_side<std::greater<>> bids;
		one_side<std::less<>> asks;
	};
	struct place {
		const std::string *symbol;
		side_pair *sides;
		std::list<resting>::iterator at;
	};

	template <typename Side> static void copy(const Side &from, std::size_t depth, tp::vector<level> &to)
	{
		for (const auto &[price, l] : from) {
			if (to.size() == depth)
				break;
			level &copied = to.emplace_back();
			copied.price = price;
			copied.shares = l.shares;
			for (const resting &r : l.queue) {
				if (copied.first.size() == 3)
					break;
				copied.first.push_back(r.placed);
			}
		}
	}

	template <typename Side> bool put(Side &side, const std::string *symbol, side_pair *sides, tp::shared_ptr<const order> o)
	{
		auto at = side.try_emplace(o->price).first;
		price_level &l = at->second;

		l.shares += o->shares;
		l.queue.push_back({o, o->shares});
		places_[o->reference] = {symbol, sides, std::prev(l.queue.end())};
		return at == side.begin();
	}

	const std::string *put_on(const tp::shared_ptr<const order> &o)
	{
		auto &[symbol, sides] = *symbols_.try_emplace(o->symbol.c_str()).first;
		bool best = o->buys ? put(sides.bids, &symbol, &sides, o) : put(sides.asks, &symbol, &sides, o);

		return best ? &symbol : nullptr;
	}

	template <typename Side> bool take(Side &side, std::list<resting>::iterator r, std::uint32_t shares)
	{
		auto at = side.find(r->placed->price);
		bool best = at == side.begin();

		shares = shares && shares < r->left ? shares : r->left;
		r->left -= shares;
		at->second.shares -= shares;
		if (r->left)
			return best;
		places_.erase(r->placed->reference);
		at->second.queue.erase(r);
		if (at->second.queue.empty())
			side.erase(at);
		return best;
	}

	const std::string *take_off(std::uint64_t reference, std::uint32_t shares)
	{
		auto found = places_.find(reference);

		if (found == places_.end())
			return nullptr;
		place p = found->second;
		bool best = p.at->placed->buys ? take(p.sides->bids, p.at, shares) : take(p.sides->asks, p.at, shares);
		return best ? p.symbol : nullptr;
	}

	std::unordered_map<std::string, side_pair> symbols_;
	std::unordered_map<std::uint64_t, place> places_;
};
