// SPDX-License-Identifier: MIT
//
// Containers and pointers of tp.hpp, within a program and between programs.
#include "cpp-group.hpp"

#include <atomic>
#include <cstring>
#include <stdexcept>
#include <thread>

#include <tp/tp.hpp>

using book = tp::map<tp::string, tp::vector<tp::string>>;

static book *make_book(int entries)
{
	book *b = tp::make<book>();

	for (int i = 0; i < entries; i++) {
		auto &lines = (*b)[tp::string("the key with number ") + std::to_string(i).c_str()];

		for (int j = 0; j < i % 5; j++)
			lines.emplace_back(std::to_string(j).c_str());
	}
	return b;
}

static bool is_book(const book &b, int entries)
{
	int seen = 0;

	for (const auto &[key, lines] : b) {
		int i = std::stoi(key.substr(key.rfind(' ')).c_str());

		seen++;
		if (lines.size() != static_cast<std::size_t>(i % 5))
			return false;
	}
	return seen == entries;
}

// Built by one, changed by another, destroyed by a third; the first two are gone by then.
static void a_map_goes_from_program_to_program()
{
	auto **at = static_cast<book **>(tp_calloc(1, sizeof(book *)));

	in_other_program("builder", [at] { *at = make_book(1000); });
	CHECK(is_book(**at, 1000));
	in_other_program("changer", [at] {
		for (int i = 0; i < 1000; i += 2)
			(*at)->erase(tp::string("the key with number ") + std::to_string(i).c_str());
	});
	CHECK(is_book(**at, 500));
	in_other_program("destroyer", [at] { CHECK(tp::destroy(*at) == 0); });
	tp_free(at);
}

static void all_containers_work()
{
	tp::set<tp::string> set{"b", "a", "a"};
	tp::multimap<int, int> multimap{{1, 2}, {1, 3}};
	tp::unordered_map<tp::string, int> hashed;
	tp::unordered_set<int> numbers{1, 2, 3};
	tp::list<tp::string> list(10, "an element that is longer than fifteen bytes");
	tp::forward_list<int> forward{1, 2};
	tp::deque<int> deque;
	tp::vector<bool> bits(1000, true);
	tp::vector<tp::vector<tp::string>> nested(3, tp::vector<tp::string>(3, "text"));

	for (int i = 0; i < 5000; i++) {
		hashed[std::to_string(i).c_str()] = i;
		deque.push_front(i);
	}
	CHECK(set.size() == 2 && multimap.count(1) == 2 && hashed.at("4999") == 4999 && numbers.count(3));
	CHECK(list.size() == 10 && *++forward.begin() == 2 && deque.back() == 0 && bits[999] && nested[2][2] == "text");
	auto copy = hashed;
	auto moved = std::move(hashed);
	CHECK(copy == moved);
	for (const auto &[key, value] : moved)
		CHECK(tp_usable_size(&key) == 0 && value >= 0); // inside a node, which is a block
}

struct counted {
	static int alive;
	tp::string name;

	explicit counted(const char *text) : name(text)
	{
		alive++;
	}
	counted(const counted &) = delete;
	~counted()
	{
		alive--;
	}
};
int counted::alive;

struct alignas(128) wide {
	int value = 7;
};

static void make_and_destroy_pair()
{
	counted *c = tp::make<counted>("a name that is longer than fifteen bytes");

	CHECK(counted::alive == 1 && tp_usable_size(c) >= sizeof(counted));
	CHECK(tp::destroy(c) == 0 && counted::alive == 0);
	CHECK(tp::destroy(static_cast<counted *>(nullptr)) == 0);
	{
		auto p = tp::make_unique<counted>("x");
		tp::unique_ptr<const counted> constant = std::move(p);

		CHECK(!p && counted::alive == 1 && constant->name == "x");
	}
	CHECK(counted::alive == 0);
	auto w = tp::make_unique<wide>();
	CHECK(reinterpret_cast<std::uintptr_t>(w.get()) % 128 == 0 && w->value == 7);
}

struct thrower {
	tp::string name = "a name that is longer than fifteen bytes";

	thrower()
	{
		throw std::runtime_error("no");
	}
};

static void a_throwing_constructor_leaves_nothing()
{
	CHECK(throws<std::runtime_error>([] { (void)tp::make<thrower>(); }));
	CHECK(throws<std::runtime_error>([] { (void)tp::make_shared<thrower>(); }));
	CHECK(throws<std::runtime_error>([] { (void)tp::vector<thrower>(3); }));
}

static void no_memory_is_bad_alloc()
{
	tp::vector<char> v;

	CHECK(throws<std::bad_alloc>([&] { v.reserve(std::size_t(1) << 40); },
		[](const std::bad_alloc &e) { return std::strstr(e.what(), "heap"); }));
	CHECK(throws<std::bad_array_new_length>([&] { (void)tp::allocator<long>().allocate(SIZE_MAX / 4); }));
	CHECK(throws<tp::no_memory>([&] {
		auto p = tp::make_unique<std::array<char, std::size_t(1) << 34>>();
	}));
}

static void shared_pointers_count()
{
	{
		auto a = tp::make_shared<counted>("together");
		tp::shared_ptr<counted> b = tp::make_unique<counted>("apart");
		tp::shared_ptr<const counted> c = b;
		tp::weak_ptr<counted> weak = a, weak_b = b;

		CHECK(counted::alive == 2 && a.use_count() == 1 && b.use_count() == 2 && c == b && a != b);
		b.reset();
		CHECK(counted::alive == 2 && c->name == "apart" && weak_b.lock());
		c = nullptr;
		CHECK(counted::alive == 1 && weak_b.expired() && !weak_b.lock());
		CHECK(weak.lock()->name == "together");
		const auto &same = a;
		a = same;
		CHECK(a.use_count() == 1);
		auto d = std::move(a);
		CHECK(!a && d.use_count() == 1);
		d = tp::shared_ptr<counted>();
		CHECK(counted::alive == 0 && weak.expired() && !weak.lock());
		tp::shared_ptr<counted> none{tp::unique_ptr<counted>()};
		CHECK(!none && none.use_count() == 0);
	}
	CHECK(counted::alive == 0);
}

// Whoever drops the last reference frees, also a program that came later.
static void the_last_program_destroys()
{
	using shared = tp::shared_ptr<counted>;
	auto *held = tp::make<tp::vector<shared>>();
	auto *weak = tp::make<tp::weak_ptr<counted>>();

	in_other_program("maker", [=] {
		held->push_back(tp::make_shared<counted>("made by a program that is gone"));
		held->push_back(held->front());
		*weak = held->front();
	});
	CHECK(held->front()->name == "made by a program that is gone" && held->front().use_count() == 2);
	in_other_program("dropper", [=] { held->pop_back(); });
	CHECK(held->front().use_count() == 1 && !weak->expired());
	in_other_program("last", [=] { tp::destroy(held); });
	CHECK(weak->expired());
	tp::destroy(weak);
}

static void threads_share_a_count()
{
	auto object = tp::make_shared<tp::string>("shared by threads, longer than fifteen bytes");
	tp::weak_ptr<tp::string> weak = object;
	std::vector<std::thread> threads;
	std::atomic<int> wrong{0};

	for (int i = 0; i < 4; i++)
		threads.emplace_back([mine = object, weak, &wrong] {
			for (int n = 0; n < 20000; n++) {
				auto copy = mine;
				auto locked = weak.lock();

				wrong += !locked || locked->size() != copy->size();
			}
		});
	object.reset();
	for (auto &t : threads)
		t.join();
	threads.clear();
	CHECK(wrong == 0 && weak.expired());
}

int main()
{
	static const test tests[] = {
		{"a map goes from program to program", a_map_goes_from_program_to_program},
		{"all containers work", all_containers_work},
		{"make and destroy pair", make_and_destroy_pair},
		{"a throwing constructor leaves nothing", a_throwing_constructor_leaves_nothing},
		{"no memory is bad_alloc", no_memory_is_bad_alloc},
		{"shared pointers count", shared_pointers_count},
		{"the last program destroys", the_last_program_destroys},
		{"threads share a count", threads_share_a_count},
	};

	return run_tests(tests);
}
