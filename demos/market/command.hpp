// SPDX-License-Identifier: MIT
//
// Arguments and failures, the same in each of these programs.
#pragma once

#include <cstddef>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

using arguments = std::vector<std::string>;

inline double to_number(const std::string &text)
{
	std::size_t used = 0;
	double number = 0;

	try {
		number = std::stod(text, &used);
	} catch (const std::exception &) {
	}
	if (!used || used != text.size() || !(number > 0 && number < 1e9))
		throw std::runtime_error(text + ": a number above 0 is needed");
	return number;
}

inline int run_command(const char *name, const char *usage, int argc, char **argv, std::size_t least, std::size_t most,
	void (*command)(const arguments &))
{
	arguments args(argv + (argc ? 1 : 0), argv + argc);

	if (args.size() < least || args.size() > most) {
		std::fprintf(stderr, "usage: %s %s\n", name, usage);
		return 2;
	}
	try {
		command(args);
	} catch (const std::exception &failure) {
		std::fprintf(stderr, "%s: %s\n", name, failure.what());
		return 1;
	}
	return 0;
}
