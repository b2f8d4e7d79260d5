// SPDX-License-Identifier: MIT
//
// Reads dpkg's status file into linked records and hands them over.
#include "command.hpp"
#include "handover.hpp"
#include "packages-json.hpp"
#include "packages.hpp"
#include "status-file.hpp"

static void parse(const arguments &args)
{
	bool json = to_mode(args.at(0));
	package_list packages;
	handover_writer to(args.at(2)); // first, so that the next program sees it if this one fails

	status_file::read(args.at(1), packages);
	if (json) {
		write_packages(to, packages);
	} else {
		to.write_pointer(&packages);
		to.wait_for_reader();
	}
	to.report("parse");
}

int main(int argc, char **argv)
{
	return run_command("parse", "pointers|json STATUS-FILE OUT", argc, argv, 3, parse);
}
