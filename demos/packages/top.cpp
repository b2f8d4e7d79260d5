// SPDX-License-Identifier: MIT
//
// Takes the graph and prints the packages that most others depend on. In pointer mode the nodes are those that graph has made, and the
// names those that parse has; both may have ended by now. At the end it frees them.
#include "command.hpp"
#include "dependency-graph.hpp"
#include "handover-pointers.hpp"
#include "handover.hpp"
#include "packages-json.hpp"
#include "packages.hpp"
#include "ranking.hpp"

static void top(const arguments &args)
{
	std::size_t count = to_count(args.at(2));

	if (to_mode(args.at(0))) {
		handover_reader from(args.at(1));
		package_list<own_memory> packages;
		dependency_graph<own_memory> graph;

		read_graph(from, packages, graph);
		print_ranking(graph, count);
	} else {
		print_ranking(receive<shared_graph>(args.at(1))->graph, count);
	}
}

int main(int argc, char **argv)
{
	return run_command("top", "pointers|json IN COUNT", argc, argv, 3, top);
}
