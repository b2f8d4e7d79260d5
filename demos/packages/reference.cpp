// SPDX-License-Identifier: MIT
//
// All three steps in one ordinary program: what the other ways must agree with.
#include "command.hpp"
#include "dependency-graph.hpp"
#include "packages.hpp"
#include "ranking.hpp"
#include "status-file.hpp"

static void reference(const arguments &args)
{
	package_list<own_memory> packages;
	dependency_graph<own_memory> graph;

	status_file::read(args.at(0), packages);
	graph_builder(packages, graph).build();
	print_ranking(graph, to_count(args.at(1)));
}

int main(int argc, char **argv)
{
	return run_command("reference", "STATUS-FILE COUNT", argc, argv, 2, reference);
}
