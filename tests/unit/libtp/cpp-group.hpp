// SPDX-License-Identifier: MIT
//
// tests/lib/tpgroup.h for C++, and the checks of these tests.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tp/heap.h>

extern "C" {
void tpgroup_open(std::uint64_t heap_size);
void tpgroup_close(void);
std::uint64_t tpgroup_add(const char *name);
void tpgroup_be(std::uint64_t id);
pid_t tpgroup_fork(std::uint64_t id, int (*fn)(void *arg), void *arg);
void tpgroup_died(std::uint64_t id);
void tpgroup_kill(pid_t pid, std::uint64_t id);
int tpgroup_join(pid_t pid, std::uint64_t id);
}

#define CHECK(holds) check_(holds, #holds, __FILE__, __LINE__)

inline void check_(bool holds, const char *what, const char *file, int line)
{
	if (holds)
		return;
	std::fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
	_exit(1);
}

// Does `f` throw an E for which `right` holds?
template <typename E, typename F, typename R> bool throws(F f, R right)
{
	try {
		f();
	} catch (const E &e) {
		return right(e);
	}
	return false;
}

template <typename E, typename F> bool throws(F f)
{
	return throws<E>(f, [](const E &) { return true; });
}

inline std::uint64_t blocks_in_use()
{
	tp_heap_usage stats;

	CHECK(tp_heap_stats(0, &stats) == 0);
	return stats.blocks;
}

// Runs `f` in another program of the group, to its end.
template <typename F> void in_other_program(const char *name, F f)
{
	std::uint64_t id = tpgroup_add(name);
	pid_t pid = tpgroup_fork(
		id,
		[](void *arg) {
			(*static_cast<F *>(arg))();
			return 0;
		},
		&f);

	CHECK(tpgroup_join(pid, id) == 0);
}

struct test {
	const char *name;
	void (*run)();
};

// Each begins and ends with as many blocks in use, and a sound heap.
template <std::size_t n> int run_tests(const test (&tests)[n])
{
	tpgroup_open(std::uint64_t(64) << 20);
	tpgroup_be(tpgroup_add("me"));
	for (const test &t : tests) {
		std::uint64_t before = blocks_in_use();

		t.run();
		std::printf("%s\n", t.name);
		CHECK(tp_heap_check() == 0);
		CHECK(blocks_in_use() == before);
	}
	tpgroup_close();
	return 0;
}
