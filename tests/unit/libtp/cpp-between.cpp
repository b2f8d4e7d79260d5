// SPDX-License-Identifier: MIT
//
// Names, channels and locks of tp.hpp between programs, with the deaths of their users.
#include "cpp-group.hpp"

#include <csignal>
#include <cstring>
#include <shared_mutex>
#include <vector>

#include <poll.h>

#include <tp/tp.hpp>

struct order {
	int number = 0;
	tp::string symbol;
	tp::vector<double> prices;
};
TP_TYPE(order, "order@1")

struct other {
	int number = 0;
};
TP_TYPE(other, "other@1")

using namespace std::chrono_literals;

static tp::unique_ptr<order> make_order(int number)
{
	auto o = tp::make_unique<order>();

	o->number = number;
	o->symbol = "a symbol that needs a block";
	o->prices.assign(10, number);
	return o;
}

static bool is_order(const order &o)
{
	return o.symbol == "a symbol that needs a block" && o.prices.size() == 10 && o.prices[9] == o.number;
}

static void names_know_types()
{
	auto o = make_order(1);

	CHECK(throws<tp::error>([] { tp::lookup<order>("first"); },
		[](const tp::error &e) { return e.result() == -ENOENT && std::strstr(e.what(), "first"); }));
	tp::publish("first", *o);
	CHECK(tp::lookup<order>("first")->number == 1);
	CHECK(tp::wait<order>("first", 1s).try_check() == 0);
	in_other_program("reader", [] {
		auto found = tp::lookup<const order>("first");

		CHECK(is_order(*found) && found.try_check() == 0);
		CHECK(throws<tp::error>([] { tp::lookup<other>("first"); },
			[](const tp::error &e) { return e.result() == -EPROTOTYPE; }));
		order *raw = nullptr;
		CHECK(tp::try_lookup("first", &raw) == 0 && raw->number == 1);
	});
	CHECK(tp::try_publish("first", *o) == -EEXIST);
	tp::unpublish<order>("first");
	CHECK(throws<tp::error>([] { tp::wait<order>("first", 1ms); },
		[](const tp::error &e) { return e.code() == std::errc::timed_out; }));
}

enum { MANY = 5000 };

static void send_orders()
{
	tp::lane<order> lane("orders", 10s);

	for (int i = 0; i < MANY; i++)
		lane.give(make_order(i));
}

static void given_objects_arrive_and_are_destroyed()
{
	std::uint64_t id = tpgroup_add("sender");
	tp::channel<order> channel("orders");
	int next = 0, taken = 0;
	pid_t pid = tpgroup_fork(
		id,
		[](void *) {
			send_orders();
			return 0;
		},
		nullptr);

	while (auto o = channel.receive(10s)) {
		CHECK(o->number == next++ && is_order(*o) && o.given() && !o.repeated() && o.sender() == id);
		if (next % 3 == 0) {
			auto mine = o.take();
			CHECK(!o && is_order(*mine));
			taken++;
		}
	}
	CHECK(channel.closed() && next == MANY && taken == MANY / 3 && channel.deaths() == 0);
	CHECK(!channel.receive(tp::nowait) && !channel.closed());
	CHECK(tpgroup_join(pid, id) == 0);
}

static void lent_objects_stay()
{
	tp::channel<order> channel("orders");
	tp::lane<order> lane("orders");
	auto o = make_order(5);

	lane.lend(*o);
	{
		auto m = channel.receive(tp::nowait);
		CHECK(m && m.get() == o.get() && !m.given());
		CHECK(throws<tp::error>([&] { m.take(); }));
		CHECK(lane.acknowledged() == 0);
	}
	CHECK(lane.acknowledged() == 1 && is_order(*o));
}

static void batches_go_as_far_as_there_is_room()
{
	tp_chan_options options = {};
	options.size = sizeof(options);
	options.capacity = 128;
	tp::channel<order> channel("orders", &options);
	tp::lane<order> lane("orders");
	std::vector<tp::unique_ptr<order>> batch;

	for (int i = 0; i < 200; i++)
		batch.push_back(make_order(i));
	std::size_t sent = lane.give_batch(batch.data(), batch.size(), tp::nowait);
	CHECK(sent > 0 && sent <= 128);
	for (std::size_t i = 0; i < batch.size(); i++)
		CHECK((batch[i] == nullptr) == (i < sent));
	CHECK(lane.try_give(std::move(batch.back())) == -EAGAIN && batch.back());
	for (std::size_t i = 0; i < sent; i++)
		CHECK(channel.receive(tp::nowait)->number == static_cast<int>(i));
	CHECK(lane.give_batch(batch.data() + sent, batch.size() - sent) == batch.size() - sent);
	for (std::size_t i = sent; i < batch.size(); i++)
		CHECK(is_order(*channel.receive(tp::nowait)));
}

static void an_exception_leaves_the_message()
{
	tp::channel<order> channel("orders");
	tp::lane<order> lane("orders");

	auto o = make_order(1);
	lane.lend(*o);
	CHECK(throws<int>([&] {
		auto m = channel.receive(tp::nowait);
		throw 1;
	}));
	CHECK(lane.acknowledged() == 0);
	lane.lend(*o);
	channel.receive(tp::nowait).done();
	CHECK(lane.acknowledged() == 2);
}

static void a_closed_channel_is_an_error()
{
	auto *channel = new tp::channel<order>("orders");
	tp::lane<order> lane("orders");
	auto o = make_order(1);

	CHECK(throws<tp::error>([] { tp::lane<other>("orders", tp::nowait); },
		[](const tp::error &e) { return e.result() == -EPROTOTYPE; }));
	CHECK(throws<tp::error>([] { tp::channel<order>("orders"); },
		[](const tp::error &e) { return e.result() == -EEXIST; }));
	delete channel;
	CHECK(throws<tp::error>([&] { lane.give(std::move(o)); }, [](const tp::error &e) {
		return e.code() == std::errc::broken_pipe && std::string(e.what()) == "tp::lane::give: Broken pipe";
	}));
	CHECK(o && is_order(*o));
}

static int consume_and_hang(void *)
{
	tp::channel<order> channel("orders");

	for (int i = 0; i < 10; i++)
		channel.receive(10s).done();
	auto held = channel.receive(10s);
	for (;;)
		pause();
}

// Killed with one message in its hands: its successor gets that one again, and all others once.
static void a_successor_loses_nothing()
{
	std::uint64_t id = tpgroup_add("consumer");
	pid_t pid = tpgroup_fork(id, consume_and_hang, nullptr);
	{
		tp::lane<order> lane("orders", 10s);

		for (int i = 0; i < 20; i++)
			lane.give(make_order(i));
		while (lane.acknowledged() < 10)
			usleep(1000);
		usleep(20000);
		tpgroup_kill(pid, id);
		CHECK(!lane.wait_consumer(tp::nowait));
		tp::channel<order> successor("orders");
		CHECK(lane.wait_consumer(tp::nowait));
		for (int i = 10; i < 20; i++) {
			auto m = successor.receive(tp::nowait);
			CHECK(m && m->number == i && is_order(*m) && (i > 10 || m.repeated()));
		}
		CHECK(!successor.receive(tp::nowait));
	}
}

struct account {
	tp::mutex mutex;
	tp::condition_variable changed;
	int left = 100, right = 0;

	void transfer(int amount)
	{
		left -= amount;
		right += amount;
	}
};
TP_TYPE(account, "account@1")

static int die_in_the_middle(void *arg)
{
	auto *a = static_cast<account *>(arg);
	std::lock_guard hold(a->mutex);

	a->left -= 10;
	raise(SIGKILL);
	return 0;
}

static void kill_a_holder(account *a)
{
	std::uint64_t id = tpgroup_add("holder");

	tpgroup_join(tpgroup_fork(id, die_in_the_middle, a), id);
}

static void a_dead_owner_is_an_exception()
{
	auto a = tp::make_unique<account>();
	bool repaired = false;

	kill_a_holder(a.get());
	try {
		std::lock_guard hold(a->mutex);
	} catch (tp::owner_dead &death) {
		CHECK(death.result() == -EOWNERDEAD && &death.locked() == &a->mutex);
		a->right = 100 - a->left;
		death.recovered();
		repaired = true;
	}
	CHECK(repaired && a->mutex.try_lock());
	a->mutex.unlock();

	kill_a_holder(a.get());
	{
		tp::lock_and_repair hold(a->mutex, [&] { a->right = 100 - a->left; });
		CHECK(a->left + a->right == 100 && a->right == 20);
	}
	CHECK(a->mutex.try_lock());
	a->mutex.unlock();
}

static void without_repair_nobody_gets_it()
{
	auto a = tp::make_unique<account>();

	kill_a_holder(a.get());
	CHECK(throws<tp::owner_dead>([&] { std::lock_guard hold(a->mutex); }));
	CHECK(throws<tp::error>([&] { std::lock_guard hold(a->mutex); },
		[](const tp::error &e) { return e.code() == std::errc::state_not_recoverable; }));
	a = tp::make_unique<account>();
	kill_a_holder(a.get());
	CHECK(throws<int>([&] { tp::lock_and_repair hold(a->mutex, [] { throw 1; }); }));
	CHECK(throws<tp::error>([&] { a->mutex.try_lock(); }));
}

struct guarded {
	tp::shared_mutex lock;
	int left = 100, right = 0;
};

static int die_writing(void *arg)
{
	auto *g = static_cast<guarded *>(arg);
	std::unique_lock hold(g->lock);

	g->left -= 10;
	raise(SIGKILL);
	return 0;
}

static void a_dead_writer_can_be_repaired()
{
	auto g = tp::make_unique<guarded>();
	std::uint64_t id = tpgroup_add("writer");

	tpgroup_join(tpgroup_fork(id, die_writing, g.get()), id);
	CHECK(g->lock.try_lock_shared_robust() == -EOWNERDEAD);
	g->right = 100 - g->left;
	CHECK(g->lock.try_consistent() == 0);
	g->lock.unlock();
	CHECK(g->lock.try_lock_shared_for(1s));
	g->lock.unlock_shared();

	id = tpgroup_add("writer");
	tpgroup_join(tpgroup_fork(id, die_writing, g.get()), id);
	{
		tp::lock_and_repair hold(g->lock, [&] { g->right = 100 - g->left; });
		CHECK(g->left == 80 && g->right == 20);
	}
	CHECK(g->lock.try_lock_for(1s));
	g->lock.unlock();

	id = tpgroup_add("writer");
	tpgroup_join(tpgroup_fork(id, die_writing, g.get()), id);
	CHECK(throws<tp::error>([&] { std::shared_lock hold(g->lock); },
		[](const tp::error &e) { return e.result() == -EOWNERDEAD; }));
	CHECK(throws<tp::error>([&] { std::unique_lock hold(g->lock); },
		[](const tp::error &e) { return e.result() == -ENOTRECOVERABLE; }));
}

static int transfer_many(void *arg)
{
	auto *a = static_cast<account *>(arg);

	for (int i = 0; i < 100; i++) {
		std::unique_lock hold(a->mutex);
		a->transfer(1);
		a->changed.notify_all();
	}
	return 0;
}

static void conditions_wake()
{
	auto a = tp::make_unique<account>();
	std::uint64_t id = tpgroup_add("transferrer");
	pid_t pid;

	std::unique_lock hold(a->mutex);
	CHECK(a->changed.wait_for(hold, 1ms) == std::cv_status::timeout && hold.owns_lock());
	CHECK(!a->changed.wait_for(hold, 1ms, [&] { return a->right == 100; }));
	pid = tpgroup_fork(id, transfer_many, a.get());
	a->changed.wait(hold, [&] { return a->right == 100; });
	CHECK(a->left == 0);
	hold.unlock();
	CHECK(tpgroup_join(pid, id) == 0);
	CHECK(a->mutex.try_lock_for(1s));
	a->mutex.unlock();
}

static void others_of_std_shape_work()
{
	auto semaphore = tp::make_unique<tp::semaphore>(1u);
	auto rw = tp::make_unique<tp::shared_mutex>();
	auto barrier = tp::make_unique<tp::barrier>(1u);

	semaphore->acquire();
	CHECK(!semaphore->try_acquire() && !semaphore->try_acquire_for(1ms));
	semaphore->release();
	CHECK(semaphore->try_acquire());
	{
		std::shared_lock one(*rw);
		std::shared_lock two(*rw);
		in_other_program("writer", [&] { CHECK(!rw->try_lock()); });
	}
	{
		std::unique_lock one(*rw);
		in_other_program("reader", [&] { CHECK(!rw->try_lock_shared()); });
	}
	CHECK(barrier->arrive_and_wait());
	static tp::mutex outside;
	CHECK(throws<tp::error>([] { outside.lock(); }, [](const tp::error &e) { return e.result() == -EFAULT; }));
	CHECK(throws<tp::error>([] { tp::semaphore s(UINT32_MAX); }));
}

int main()
{
	static const test tests[] = {
		{"names know types", names_know_types},
		{"given objects arrive and are destroyed", given_objects_arrive_and_are_destroyed},
		{"lent objects stay", lent_objects_stay},
		{"batches go as far as there is room", batches_go_as_far_as_there_is_room},
		{"an exception leaves the message", an_exception_leaves_the_message},
		{"a closed channel is an error", a_closed_channel_is_an_error},
		{"a successor loses nothing", a_successor_loses_nothing},
		{"a dead owner is an exception", a_dead_owner_is_an_exception},
		{"without repair nobody gets it", without_repair_nobody_gets_it},
		{"a dead writer can be repaired", a_dead_writer_can_be_repaired},
		{"conditions wake", conditions_wake},
		{"others of std's shape work", others_of_std_shape_work},
	};

	return run_tests(tests);
}
