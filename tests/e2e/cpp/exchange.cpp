// SPDX-License-Identifier: MIT
//
// exchange HOP LAST: one station of a tour. Station 0 makes things of all containers and gives them away; each further one looks
// whether they are as they should be, changes them all, and gives them to the next; the last one destroys them. The stations are built by
// different compilers with different options.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <tp/tp.hpp>

struct thing {
	int round = 0;
	tp::string text;
	tp::vector<tp::string> lines;
	tp::vector<double> numbers;
	tp::vector<bool> bits;
	tp::map<tp::string, tp::vector<int>> sorted;
	tp::set<int> set;
	tp::unordered_map<tp::string, tp::unique_ptr<tp::string>> hashed;
	tp::unordered_set<long> hashed_numbers;
	tp::list<tp::string> list;
	tp::deque<int> deque;
	tp::shared_ptr<const tp::string> shared;
	tp::weak_ptr<const tp::string> weak;
	std::variant<int, tp::string> either;
	std::optional<tp::string> maybe;
};
TP_TYPE(thing, "thing@1")

enum { ROUNDS = 50 };

#define CHECK(holds)                                                                                                   \
	do {                                                                                                           \
		if (!(holds)) {                                                                                        \
			std::fprintf(stderr, "station %d: line %d does not hold: %s\n", station, __LINE__, #holds);    \
			std::exit(1);                                                                                  \
		}                                                                                                      \
	} while (0)

static int station;

static tp::string name_of(int i)
{
	return tp::string("a name that is longer than fifteen bytes, number ") + std::to_string(i).c_str();
}

// What each station adds.
static void change(thing &t, int by)
{
	for (int i = by * 20; i < by * 20 + 20; i++) {
		t.text += static_cast<char>('a' + i % 26);
		t.lines.push_back(i % 2 ? name_of(i) : tp::string("short"));
		t.numbers.push_back(i / 2.0);
		t.bits.push_back(i % 3 == 0);
		t.sorted[name_of(i)].assign(i % 7, i);
		t.set.insert(i % 15);
		t.hashed[name_of(i)] = tp::make_unique<tp::string>(name_of(-i));
		t.hashed_numbers.insert(i);
		i % 2 ? t.list.push_back(name_of(i)) : t.list.push_front(name_of(i));
		i % 2 ? t.deque.push_back(i) : t.deque.push_front(i);
	}
	// ... and takes away of what the one before has added.
	if (by) {
		t.sorted.erase(name_of(by * 20 - 1));
		t.hashed.erase(name_of(by * 20 - 2));
		t.lines.erase(t.lines.begin());
		t.list.remove(name_of(by * 20 - 3));
	}
	t.shared = tp::make_shared<tp::string>(name_of(by));
	t.weak = t.shared;
	if (by % 2)
		t.either = name_of(by);
	else
		t.either = by;
	t.maybe = by % 3 ? std::optional<tp::string>(name_of(by)) : std::nullopt;
}

// After the stations 0 … last.
static void look(const thing &t, int round, int last)
{
	const int n = (last + 1) * 20;

	CHECK(t.round == round);
	CHECK(t.text.size() == std::size_t(n) && t.text[n - 1] == 'a' + (n - 1) % 26);
	CHECK(t.lines.size() == std::size_t(n - last) && t.lines.back() == name_of(n - 1));
	CHECK(t.numbers.size() == std::size_t(n) && t.numbers[n - 1] == (n - 1) / 2.0);
	CHECK(t.bits.size() == std::size_t(n) && t.bits[n - 1] == ((n - 1) % 3 == 0));
	CHECK(t.sorted.size() == std::size_t(n - last) && t.sorted.at(name_of(n - 2)) == tp::vector<int>((n - 2) % 7, n - 2));
	CHECK(t.sorted.count(name_of(19)) == (last == 0));
	CHECK(t.set.size() == 15 && *t.set.begin() == 0 && *t.set.rbegin() == 14);
	CHECK(t.hashed.size() == std::size_t(n - last) && *t.hashed.at(name_of(n - 1)) == name_of(1 - n));
	CHECK(t.hashed_numbers.size() == std::size_t(n) && t.hashed_numbers.count(n - 1));
	CHECK(t.list.size() == std::size_t(n - last) && t.list.front() == name_of(n - 2));
	CHECK(t.deque.size() == std::size_t(n) && t.deque.back() == n - 1 && t.deque.front() == n - 2);
	CHECK(*t.shared == name_of(last) && t.shared.use_count() == 1 && t.weak.lock() == t.shared);
	CHECK(last % 2 ? std::get<tp::string>(t.either) == name_of(last) : std::get<int>(t.either) == last);
	CHECK(t.maybe.has_value() == (last % 3 != 0) && (!t.maybe || *t.maybe == name_of(last)));
}

static tp::string channel_name(int hop)
{
	return tp::string("exchange.") + std::to_string(hop).c_str();
}

static void make_all()
{
	tp::lane<thing> next(channel_name(1).c_str());

	for (int round = 0; round < ROUNDS; round++) {
		auto t = tp::make_unique<thing>();

		t->round = round;
		change(*t, 0);
		look(*t, round, 0);
		next.give(std::move(t));
	}
}

static void pass_on()
{
	tp::channel<thing> from(channel_name(station).c_str());
	tp::lane<thing> next(channel_name(station + 1).c_str());
	int round = 0;

	while (auto t = from.receive()) {
		look(*t, round, station - 1);
		change(*t, station);
		look(*t, round, station);
		next.give(t.take());
		round++;
	}
	CHECK(round == ROUNDS && from.deaths() == 0);
}

static void end_all()
{
	tp::channel<thing> from(channel_name(station).c_str());
	int round = 0;

	while (auto t = from.receive())
		look(*t, round++, station - 1);
	CHECK(round == ROUNDS && from.deaths() == 0);
	CHECK(tp_heap_check() == 0);
	std::printf("%d things came round\n", round);
}

int main(int argc, char **argv)
{
	station = argc > 1 ? std::atoi(argv[1]) : 0;
	try {
		if (station == 0)
			make_all();
		else if (argc > 2 && station == std::atoi(argv[2]))
			end_all();
		else
			pass_on();
	} catch (const std::exception &e) {
		std::fprintf(stderr, "station %d: %s\n", station, e.what());
		return 1;
	}
	return 0;
}
