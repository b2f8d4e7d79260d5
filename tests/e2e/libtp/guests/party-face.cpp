// SPDX-License-Identifier: MIT
// A guest of the party (see party.c) in C++17 with <tp/tp.hpp>: party-face guest NAME
#include "party.h"

#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include <tp/tp.hpp>

TP_TYPE(letter, "letter@1")
TP_TYPE(party, "party@1")
TP_TYPE(tp::string, "card@1")

// tp::mutex has the layout of struct tp_mutex.
static_assert(sizeof(tp::mutex) == sizeof(tp_mutex) && alignof(tp::mutex) == alignof(tp_mutex));

static const auto soon = std::chrono::seconds(30);

static void count(party &p)
{
	auto &mutex = reinterpret_cast<tp::mutex &>(p.mutex);

	for (int i = 0; i < PARTY_COUNTS; i++) {
		std::lock_guard lock(mutex);
		p.counter++;
		p.threads += i == 0;
	}
}

static void read(tp::message<letter> m)
{
	// What it holds is as the C programs made it; the letter itself goes with its owner.
	tp::unique_ptr<letter> l = m.take();

	letter_read(l.release());
}

static void correspond(const std::string &name)
{
	tp::channel<letter> in(("answers-" + name).c_str());
	tp::lane<letter> out("party-letters", soon);

	for (std::uint64_t i = 0; i < PARTY_LETTERS; i++)
		out.give(tp::unique_ptr<letter>(letter_write(name.c_str(), i)), soon);
	for (int i = 0; i < PARTY_LETTERS; i++) {
		auto m = in.receive(soon);

		if (!m)
			throw std::runtime_error("no answer");
		read(std::move(m));
	}
}

static int read_cards()
{
	tp_name_cursor cursor = {};
	tp_name entry;
	int n = 0;

	while (tp_name_next(&cursor, &entry) == 1) {
		std::string who = entry.name;

		if (who.compare(0, 6, "guest-") != 0)
			continue;
		auto card = tp::lookup<tp::string>(entry.name);
		if (card->find(who.substr(6)) == tp::string::npos)
			throw std::runtime_error("a wrong card");
		n++;
	}
	return n;
}

static void guest(const std::string &name)
{
	party &p = *tp::wait<party>("party", soon);
	std::thread thread(count, std::ref(p));

	count(p);
	auto card = tp::make_unique<tp::string>("my name, which is too long for a short string, is ");
	*card += name.c_str();
	tp::publish(("guest-" + name).c_str(), *card.release(), TP_PUBLISH_KEEP);
	correspond(name);
	thread.join();
	tp::check(tp_barrier_wait(&p.barrier, SOON), "barrier");
	std::printf("%s saw %d cards\n", name.c_str(), read_cards());
	tp::check(tp_barrier_wait(&p.barrier, SOON), "barrier");
}

int main(int argc, char **argv)
{
	try {
		guest(argc > 2 ? argv[2] : "face");
	} catch (const std::exception &e) {
		std::fprintf(stderr, "%s\n", e.what());
		return 99;
	}
	return 0;
}
