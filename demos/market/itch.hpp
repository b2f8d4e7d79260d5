// SPDX-License-Identifier: MIT
//
// Reads NASDAQ's TotalView-ITCH 5.0 from a file, as the exchange offers them for download (unpacked): each message is preceded by its
// length in two bytes; all numbers are big-endian. Taken are those that change a book of displayed orders: A F E C X D U.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "market.hpp"

class itch_file
{
public:
	explicit itch_file(const std::string &path) : path_(path), file_(std::fopen(path.c_str(), "rb"))
	{
		if (!file_)
			throw std::runtime_error(path + ": cannot be opened");
	}
	itch_file(const itch_file &) = delete;
	itch_file &operator=(const itch_file &) = delete;
	~itch_file()
	{
		std::fclose(file_);
	}

	// The next event of interest; null at the end.
	tp::unique_ptr<event> next()
	{
		while (read_message())
			if (auto e = to_event())
				return e;
		return nullptr;
	}

private:
	bool read_message()
	{
		unsigned char size[2];

		if (std::fread(size, 1, 2, file_) != 2)
			return false;
		length_ = size[0] << 8 | size[1];
		if (std::fread(bytes_, 1, length_, file_) != length_)
			throw std::runtime_error(path_ + ": ends in the middle of a message");
		return true;
	}

	std::uint64_t number(std::size_t at, std::size_t size) const
	{
		std::uint64_t value = 0;

		for (std::size_t i = 0; i < size; i++)
			value = value << 8 | bytes_[at + i];
		return value;
	}

	bool is(char type, std::size_t length) const
	{
		return length_ >= length && bytes_[0] == static_cast<unsigned char>(type);
	}

	tp::unique_ptr<event> to_event()
	{
		if (is('A', 36) || is('F', 40))
			return placed();
		if (is('E', 31) || is('C', 36))
			return make(happening::executed, number(19, 4));
		if (is('X', 23))
			return make(happening::cancelled, number(19, 4));
		if (is('D', 19))
			return make(happening::cancelled, 0);
		if (is('U', 35))
			return replaced();
		return nullptr;
	}

	tp::unique_ptr<event> make(happening what, std::uint32_t shares)
	{
		auto e = tp::make_unique<event>();

		e->what = what;
		e->reference = number(11, 8);
		e->shares = shares;
		if (what == happening::cancelled && !shares)
			live_.erase(e->reference);
		return e;
	}

	tp::unique_ptr<event> placed()
	{
		auto e = make(happening::placed, 0);
		std::string symbol(reinterpret_cast<const char *>(bytes_ + 24), 8);

		symbol.erase(symbol.find_last_not_of(' ') + 1);
		live_[e->reference] = {symbol, bytes_[19] == 'B'};
		e->placed = tp::make_shared<order>(order{e->reference, symbol.c_str(), bytes_[19] == 'B',
			static_cast<std::uint32_t>(number(20, 4)), static_cast<std::uint32_t>(number(32, 4))});
		return e;
	}

	// It does not say the symbol and the side again: they are those of the order that it replaces.
	tp::unique_ptr<event> replaced()
	{
		auto old = live_.find(number(11, 8));

		if (old == live_.end())
			return nullptr;
		auto e = tp::make_unique<event>();
		std::uint64_t reference = number(19, 8);
		known kept = old->second;

		e->what = happening::replaced;
		e->reference = old->first;
		e->placed = tp::make_shared<order>(order{reference, kept.symbol.c_str(), kept.buys,
			static_cast<std::uint32_t>(number(27, 4)), static_cast<std::uint32_t>(number(31, 4))});
		live_.erase(old);
		live_[reference] = kept;
		return e;
	}

	struct known {
		std::string symbol;
		bool buys;
	};

	const std::string path_;
	std::FILE *const file_;
	std::unordered_map<std::uint64_t, known> live_;
	unsigned char bytes_[65536];
	std::size_t length_ = 0;
};
