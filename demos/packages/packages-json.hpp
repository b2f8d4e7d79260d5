// SPDX-License-Identifier: MIT
//
// Packages and graph as JSON, for programs that cannot follow one another's pointers. Each side
// turns everything it has into text, and the next makes it all anew on its own heap.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "dependency-graph.hpp"
#include "json.hpp"
#include "packages.hpp"

inline void write_strings(json_writer &to, const char *key, const std::vector<std::string> &strings)
{
	to.key(key);
	to.open('[');
	for (const std::string &text : strings)
		to.string(text);
	to.close(']');
}

inline void read_strings(json_reader &from, const char *key, std::vector<std::string> &strings)
{
	from.next_key(key);
	from.open('[');
	while (from.more(']'))
		strings.push_back(from.string());
}

// [{"name": "bash", "version": "5.2.15-2+b7", "depends": ["base-files", ...], "provides": []}, ...]
inline void write_packages(handover_writer &pipe, const package_list<own_memory> &packages)
{
	json_writer to(pipe);

	to.open('[');
	for (const package<own_memory> *p = packages.first(); p; p = p->next) {
		to.open('{');
		to.key("name");
		to.string(p->name);
		to.key("version");
		to.string(p->version);
		write_strings(to, "depends", p->depends);
		write_strings(to, "provides", p->provides);
		to.close('}');
	}
	to.close(']');
	to.flush();
}

inline void read_packages(handover_reader &pipe, package_list<own_memory> &packages)
{
	json_reader from(pipe);

	from.open('[');
	while (from.more(']')) {
		package<own_memory> &p = packages.append();

		from.open('{');
		from.key("name");
		p.name = from.string();
		from.next_key("version");
		p.version = from.string();
		read_strings(from, "depends", p.depends);
		read_strings(from, "provides", p.provides);
		if (from.more('}'))
			throw std::runtime_error("JSON: a package has an unknown member");
	}
}

// {"count": 2, "unresolved": 0, "nodes": [{"name": "bash", "version": "5", "needed_by": [1]}, ...]}
// A node is named by its position, and only what the ranking asks for is sent.
inline void write_graph(handover_writer &pipe, const dependency_graph<own_memory> &graph)
{
	json_writer to(pipe);

	to.open('{');
	to.key("count");
	to.number(graph.nodes.size());
	to.key("unresolved");
	to.number(graph.unresolved);
	to.key("nodes");
	to.open('[');
	for (const node<own_memory> &n : graph.nodes) {
		to.open('{');
		to.key("name");
		to.string(n.described->name);
		to.key("version");
		to.string(n.described->version);
		to.key("needed_by");
		to.open('[');
		for (const node<own_memory> *dependent : n.needed_by)
			to.number(dependent - graph.nodes.data());
		to.close(']');
		to.close('}');
	}
	to.close(']');
	to.close('}');
	to.flush();
}

inline void read_node(json_reader &from, package_list<own_memory> &packages, dependency_graph<own_memory> &graph)
{
	package<own_memory> &p = packages.append();
	node<own_memory> &n = graph.nodes.at(packages.count() - 1);

	n.described = &p;
	from.open('{');
	from.key("name");
	p.name = from.string();
	from.next_key("version");
	p.version = from.string();
	from.next_key("needed_by");
	from.open('[');
	while (from.more(']'))
		n.needed_by.push_back(&graph.nodes.at(from.number()));
	if (from.more('}'))
		throw std::runtime_error("JSON: a node has an unknown member");
}

// `packages` holds what the nodes describe.
inline void read_graph(handover_reader &pipe, package_list<own_memory> &packages, dependency_graph<own_memory> &graph)
{
	json_reader from(pipe);

	from.open('{');
	from.key("count");
	graph.nodes.resize(from.number());
	from.next_key("unresolved");
	graph.unresolved = from.number();
	from.next_key("nodes");
	from.open('[');
	while (from.more(']'))
		read_node(from, packages, graph);
	if (packages.count() != graph.nodes.size())
		throw std::runtime_error("JSON: nodes are missing");
}
