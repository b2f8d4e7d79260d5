// SPDX-License-Identifier: MIT
//
// Takes the records that parse made, builds the graph of pointers into them and hands it over.
#include "command.hpp"
#include "dependency-graph.hpp"
#include "handover-pointers.hpp"
#include "handover.hpp"
#include "packages-json.hpp"
#include "packages.hpp"

static void graph_from_json(const std::string &in, const std::string &out)
{
	handover_reader from(in);
	handover_writer to(out);
	package_list<own_memory> packages;
	dependency_graph<own_memory> graph;

	read_packages(from, packages);
	graph_builder(packages, graph).build();
	write_graph(to, graph);
	to.report("graph");
}

static void graph_from_pointers(const std::string &in, const std::string &out)
{
	tp::lane<shared_graph> to(out.c_str());
	auto all = tp::make_unique<shared_graph>();

	all->packages = receive<shared_packages>(in);
	graph_builder(*all->packages, all->graph).build();
	give(to, std::move(all), "graph");
}

static void graph(const arguments &args)
{
	if (to_mode(args.at(0)))
		graph_from_json(args.at(1), args.at(2));
	else
		graph_from_pointers(args.at(1), args.at(2));
}

int main(int argc, char **argv)
{
	return run_command("graph", "pointers|json IN OUT", argc, argv, 3, graph);
}
