// SPDX-License-Identifier: MIT
//
// Takes the records that parse made, builds the graph of pointers into them and hands it over.
#include "command.hpp"
#include "dependency-graph.hpp"
#include "handover.hpp"
#include "packages-json.hpp"
#include "packages.hpp"

static void graph_from_json(handover_reader &from, handover_writer &to)
{
	package_list packages;
	dependency_graph graph;

	read_packages(from, packages);
	graph_builder(packages, graph).build();
	write_graph(to, graph);
	to.report("graph");
}

static void graph_from_pointers(handover_reader &from, handover_writer &to)
{
	const package_list &packages = from.read_pointer<package_list>();
	dependency_graph graph;

	graph_builder(packages, graph).build();
	to.write_pointer(&graph);
	to.wait_for_reader();
	to.report("graph");
}

static void graph(const arguments &args)
{
	bool json = to_mode(args.at(0));
	handover_reader from(args.at(1));
	handover_writer to(args.at(2));

	if (json)
		graph_from_json(from, to);
	else
		graph_from_pointers(from, to);
}

int main(int argc, char **argv)
{
	return run_command("graph", "pointers|json IN OUT", argc, argv, 3, graph);
}
