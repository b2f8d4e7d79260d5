// SPDX-License-Identifier: MIT
//
// Takes the graph and prints the packages that most others depend on. In pointer mode it owns none
// of what it reads: the nodes are in graph's memory, the names in parse's.
#include "command.hpp"
#include "dependency-graph.hpp"
#include "handover.hpp"
#include "packages-json.hpp"
#include "packages.hpp"
#include "ranking.hpp"

static void top(const arguments &args)
{
	bool json = to_mode(args.at(0));
	handover_reader from(args.at(1));
	std::size_t count = to_count(args.at(2));

	if (json) {
		package_list packages;
		dependency_graph graph;

		read_graph(from, packages, graph);
		print_ranking(graph, count);
	} else {
		print_ranking(from.read_pointer<dependency_graph>(), count);
	}
}

int main(int argc, char **argv)
{
	return run_command("top", "pointers|json IN COUNT", argc, argv, 3, top);
}
