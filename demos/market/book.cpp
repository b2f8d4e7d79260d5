// SPDX-License-Identifier: MIT
//
// Keeps the order book and tells each strategy whenever the best prices of a symbol change.
#include <cstdio>
#include <deque>

#include "command.hpp"
#include "market.hpp"
#include "order-book.hpp"

// The way to one strategy. While that is away, or slow, ticks wait in its lane, and here when that is full: nobody else is held up.
class subscriber
{
public:
	explicit subscriber(const char *channel) : lane_(channel)
	{
	}

	void send(tp::unique_ptr<tick> t)
	{
		waiting_.push_back(std::move(t));
		sent_++;
		flush(tp::nowait);
	}
	// Until all have been taken.
	void finish()
	{
		flush(tp::forever);
	}
	std::uint64_t sent() const
	{
		return sent_;
	}

private:
	void flush(tp::timeout patience)
	{
		while (!waiting_.empty()) {
			int r = lane_.try_give(std::move(waiting_.front()), patience);

			if (r == -EAGAIN)
				return;
			if (r == -EOWNERDEAD && patience == TP_NOWAIT)
				return;
			if (r == -EOWNERDEAD) {
				lane_.wait_consumer();
				continue;
			}
			tp::check(r, "a strategy cannot be told");
			waiting_.pop_front();
		}
	}

	tp::lane<tick> lane_;
	std::deque<tp::unique_ptr<tick>> waiting_;
	std::uint64_t sent_ = 0;
};

static void keep_book(const arguments &args)
{
	std::deque<subscriber> subscribers;
	order_book book;
	std::uint64_t count = 0;

	for (const std::string &name : args)
		subscribers.emplace_back(("market.ticks." + name).c_str());
	tp::channel<event> events("market.events"); // last: then feed begins
	while (auto e = events.receive()) {
		const std::string *symbol = book.apply(*e);

		count++;
		for (subscriber &s : subscribers) {
			if (!symbol)
				break;
			auto t = tp::make_unique<tick>();
			t->number = s.sent() + 1;
			t->symbol = symbol->c_str();
			t->sent_ns = e->sent_ns;
			book.best(*symbol, 3, *t);
			s.send(std::move(t));
		}
	}
	for (subscriber &s : subscribers)
		s.finish();
	std::printf("book: %llu events, %llu ticks to each strategy\n", static_cast<unsigned long long>(count),
		static_cast<unsigned long long>(subscribers.front().sent()));
}

int main(int argc, char **argv)
{
	return run_command("book", "STRATEGY...", argc, argv, 1, 16, keep_book);
}
