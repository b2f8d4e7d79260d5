// SPDX-License-Identifier: MIT
//
// The graph of which package needs which. A node points to its package, whichever program has made that.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <unordered_map>

#include "packages.hpp"

template <typename Memory> struct node {
	const package<Memory> *described = nullptr;
	typename Memory::template vector<node *> needs;
	typename Memory::template vector<node *> needed_by;
};

template <typename Memory> struct dependency_graph {
	typename Memory::template vector<node<Memory>> nodes; // in the order of the package list
	std::size_t unresolved = 0; // dependencies that no installed package satisfies
};

template <typename Memory> class graph_builder
{
	using package = ::package<Memory>;
	using node = ::node<Memory>;

public:
	graph_builder(const package_list<Memory> &packages, dependency_graph<Memory> &graph)
	    : packages_(packages), graph_(graph)
	{
	}

	void build()
	{
		make_nodes();
		index_names();
		for (node &dependent : graph_.nodes)
			link_needs(dependent);
		// In the order of the nodes, so that every way of building gives the same order.
		for (node &dependent : graph_.nodes)
			for (node *needed : dependent.needs)
				needed->needed_by.push_back(&dependent);
	}

private:
	void make_nodes()
	{
		graph_.nodes.resize(packages_.count());
		node *next = graph_.nodes.data();
		for (const package *p = packages_.first(); p; p = p->next)
			(next++)->described = p;
	}

	// A real package comes before those that only provide its name.
	void index_names()
	{
		index_.reserve(graph_.nodes.size() * 2);
		for (node &n : graph_.nodes)
			index_.emplace(n.described->name, &n);
		for (node &n : graph_.nodes)
			for (const auto &name : n.described->provides)
				index_.emplace(name, &n);
	}

	// The first alternative that is installed, or null.
	node *resolve(std::string_view alternatives) const
	{
		while (!alternatives.empty()) {
			std::size_t end = std::min(alternatives.find('|'), alternatives.size());
			auto found = index_.find(alternatives.substr(0, end));

			if (found != index_.end())
				return found->second;
			alternatives.remove_prefix(std::min(end + 1, alternatives.size()));
		}
		return nullptr;
	}

	void link_needs(node &dependent)
	{
		auto &needs = dependent.needs;

		for (const auto &alternatives : dependent.described->depends) {
			node *needed = resolve(alternatives);

			if (!needed)
				graph_.unresolved++;
			else if (needed != &dependent)
				needs.push_back(needed);
		}
		std::sort(needs.begin(), needs.end()); // all in one array: the order of the nodes
		needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
	}

	const package_list<Memory> &packages_;
	dependency_graph<Memory> &graph_;
	std::unordered_map<std::string_view, node *> index_;
};
