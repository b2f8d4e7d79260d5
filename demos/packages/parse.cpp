// SPDX-License-Identifier: MIT
//
// Reads dpkg's status file into linked records and hands them over.
#include "command.hpp"
#include "handover-pointers.hpp"
#include "handover.hpp"
#include "packages-json.hpp"
#include "packages.hpp"
#include "status-file.hpp"

static void parse_to_json(const std::string &file, const std::string &out)
{
	package_list<own_memory> packages;
	handover_writer to(out); // first, so that the next program sees it if this one fails

	status_file::read(file, packages);
	write_packages(to, packages);
	to.report("parse");
}

static void parse_to_pointers(const std::string &file, const std::string &out)
{
	tp::lane<shared_packages> to(out.c_str()); // first, so that the next program sees it if this one fails
	auto packages = tp::make_unique<shared_packages>();

	status_file::read(file, *packages);
	give(to, std::move(packages), "parse");
}

static void parse(const arguments &args)
{
	if (to_mode(args.at(0)))
		parse_to_json(args.at(1), args.at(2));
	else
		parse_to_pointers(args.at(1), args.at(2));
}

int main(int argc, char **argv)
{
	return run_command("parse", "pointers|json STATUS-FILE OUT", argc, argv, 3, parse);
}
