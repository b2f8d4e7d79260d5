// SPDX-License-Identifier: MIT
//
// What the programs give to one another in pointer mode, each through a channel that is found by its name. It lies on the group's heap:
// who has given it away may end, and the last one frees it all.
#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>

#include "dependency-graph.hpp"
#include "packages.hpp"

using shared_packages = package_list<group_memory>;
TP_TYPE(shared_packages, "packages@1")

struct shared_graph {
	tp::unique_ptr<shared_packages> packages; // made by parse; the nodes point into it
	dependency_graph<group_memory> graph;     // made by graph
};
TP_TYPE(shared_graph, "package-graph@1")

template <typename T> void give(tp::lane<T> &to, tp::unique_ptr<T> object, const char *program)
{
	to.give(std::move(object));
	std::fprintf(stderr, "%s: handed over %zu bytes\n", program, sizeof(T *));
}

template <typename T> tp::unique_ptr<T> receive(const std::string &channel)
{
	tp::channel<T> from(channel.c_str());
	auto received = from.receive();

	if (!received)
		throw std::runtime_error(channel + ": the program before has ended without a result");
	return received.take();
}
