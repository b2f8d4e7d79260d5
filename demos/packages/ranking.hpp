// SPDX-License-Identifier: MIT
//
// The packages that most others depend on.
#pragma once

#include <algorithm>
#include <cstdio>
#include <vector>

#include "dependency-graph.hpp"

// How many packages would break without `start`: everything that reaches it over any number of
// steps.
template <typename Memory>
std::size_t count_all_dependents(const dependency_graph<Memory> &graph, const node<Memory> &start)
{
	std::vector<bool> seen(graph.nodes.size());
	std::vector<const node<Memory> *> to_visit{&start};
	std::size_t count = 0;

	seen[&start - graph.nodes.data()] = true;
	while (!to_visit.empty()) {
		const node<Memory> *visited = to_visit.back();
		to_visit.pop_back();
		for (const node<Memory> *dependent : visited->needed_by) {
			if (seen[dependent - graph.nodes.data()])
				continue;
			seen[dependent - graph.nodes.data()] = true;
			to_visit.push_back(dependent);
			count++;
		}
	}
	return count;
}

template <typename Memory> bool more_needed(const node<Memory> *a, const node<Memory> *b)
{
	if (a->needed_by.size() != b->needed_by.size())
		return a->needed_by.size() > b->needed_by.size();
	return a->described->name < b->described->name;
}

template <typename Memory>
std::vector<const node<Memory> *> most_needed(const dependency_graph<Memory> &graph, std::size_t count)
{
	std::vector<const node<Memory> *> ranking;

	for (const node<Memory> &n : graph.nodes)
		ranking.push_back(&n);
	count = std::min(count, ranking.size());
	std::partial_sort(ranking.begin(), ranking.begin() + count, ranking.end(), more_needed<Memory>);
	ranking.resize(count);
	return ranking;
}

template <typename Memory> void print_ranking(const dependency_graph<Memory> &graph, std::size_t count)
{
	std::printf("needed by  in all  package\n");
	for (const node<Memory> *n : most_needed(graph, count))
		std::printf("%9zu  %6zu  %s %s\n", n->needed_by.size(),
			count_all_dependents(graph, *n), n->described->name.c_str(),
			n->described->version.c_str());
	std::printf("%zu packages, %zu unresolved dependencies\n", graph.nodes.size(),
		graph.unresolved);
}
