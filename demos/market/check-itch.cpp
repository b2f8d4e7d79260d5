// SPDX-License-Identifier: MIT
//
// A test: an ITCH file, written here byte by byte, becomes the events that it says; a damaged one is refused. It runs in a group.
#include <cstdio>
#include <cstdlib>
#include <string>

#include <unistd.h>

#include "itch.hpp"
#include "order-book.hpp"

static void check(bool holds, const char *what)
{
	if (holds)
		return;
	std::fprintf(stderr, "FAILED: %s\n", what);
	std::exit(1);
}

static std::string number(std::uint64_t value, int size)
{
	std::string bytes;

	while (size--)
		bytes += static_cast<char>(value >> 8 * size);
	return bytes;
}

// With its length in front. The locate code, the tracking number and the time are of no interest here.
static std::string message(char type, const std::string &rest)
{
	std::string bytes = type + number(7, 2) + number(0, 2) + number(34200000000000, 6) + rest;

	return number(bytes.size(), 2) + bytes;
}

static std::string add(std::uint64_t reference, char side, std::uint32_t shares, const char *symbol, std::uint32_t price)
{
	return message('A', number(reference, 8) + side + number(shares, 4) + symbol + number(price, 4));
}

static std::string path;

static void write(const std::string &bytes)
{
	std::FILE *file = std::fopen(path.c_str(), "wb");

	check(file && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() && std::fclose(file) == 0, "the file is written");
}

static void events_are_read()
{
	write(message('S', "O") + add(1, 'B', 300, "ACME    ", 1001200) + message('R', std::string(28, ' ')) +
		message('F', number(2, 8) + 'S' + number(100, 4) + "LONGNAME" + number(990000, 4) + "MPID") +
		message('E', number(1, 8) + number(120, 4) + number(9, 8)) +
		message('C', number(1, 8) + number(30, 4) + number(9, 8) + 'Y' + number(1001200, 4)) +
		message('X', number(1, 8) + number(50, 4)) + message('U', number(1, 8) + number(3, 8) + number(70, 4) + number(1001300, 4)) +
		message('U', number(77, 8) + number(78, 8) + number(70, 4) + number(1, 4)) + message('D', number(2, 8)));
	itch_file file(path);
	auto e = file.next();

	check(e && e->what == happening::placed && e->placed->symbol == "ACME" && e->placed->buys && e->placed->shares == 300 &&
			e->placed->price == 1001200 && e->reference == 1,
		"an order is placed");
	e = file.next();
	check(e && e->placed->symbol == "LONGNAME" && !e->placed->buys && e->reference == 2, "one with a name of its placer");
	e = file.next();
	check(e && e->what == happening::executed && e->reference == 1 && e->shares == 120, "it is executed in part");
	e = file.next();
	check(e && e->what == happening::executed && e->shares == 30, "at another price");
	e = file.next();
	check(e && e->what == happening::cancelled && e->shares == 50, "a part is cancelled");
	e = file.next();
	check(e && e->what == happening::replaced && e->reference == 1 && e->placed->reference == 3 && e->placed->symbol == "ACME" &&
			e->placed->buys && e->placed->shares == 70,
		"it is replaced, symbol and side kept; one that replaces an unknown order is left out");
	e = file.next();
	check(e && e->what == happening::cancelled && e->reference == 2 && e->shares == 0, "an order is deleted");
	check(!file.next(), "the end");
}

static void a_book_follows()
{
	write(add(1, 'B', 300, "ACME    ", 100) + add(2, 'B', 100, "ACME    ", 101) + add(3, 'S', 50, "ACME    ", 105) +
		add(4, 'B', 10, "ACME    ", 99) + message('E', number(2, 8) + number(40, 4) + number(9, 8)) + message('D', number(2, 8)) +
		message('U', number(1, 8) + number(5, 8) + number(70, 4) + number(98, 4)));
	itch_file file(path);
	order_book book;
	bool changes[] = {true, true, true, false, true, true, true};

	for (bool change : changes)
		check((book.apply(*file.next()) != nullptr) == change, "the best prices change, or not");
	tick t{};
	book.best("ACME", 3, t);
	check(t.bids.size() == 2 && t.bids[0].price == 99 && t.bids[0].shares == 10 && t.bids[0].first[0]->reference == 4, "best bid");
	check(t.bids[1].price == 98 && t.bids[1].first[0]->reference == 5, "next bid");
	check(t.asks.size() == 1 && t.asks[0].shares == 50 && t.asks[0].first[0]->symbol == "ACME", "best ask");
}

static void a_cut_file_is_refused()
{
	std::string whole = add(1, 'B', 300, "ACME    ", 100);

	write(whole.substr(0, whole.size() - 1));
	try {
		itch_file(path).next();
	} catch (const std::runtime_error &) {
		return;
	}
	check(false, "a file that ends in a message is refused");
}

int main()
{
	path = "/tmp/check-itch." + std::to_string(getpid());
	events_are_read();
	a_book_follows();
	a_cut_file_is_refused();
	unlink(path.c_str());
	check(tp_heap_check() == 0, "the heap is sound");
	std::puts("itch: ok");
}
