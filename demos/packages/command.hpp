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

inline std::size_t to_count(const std::string &text)
{
	std::size_t used = 0;
	unsigned long count = 0;

	try {
		count = std::stoul(text, &used);
	} catch (const std::exception &) {
	}
	if (!used || used != text.size() || text[0] == '-')
		throw std::runtime_error(text + ": a number is needed");
	return count;
}

// Whether the MODE argument asks for JSON (and not for pointers).
inline bool to_mode(const std::string &text)
{
	if (text != "json" && text != "pointers")
		throw std::runtime_error(text + ": 'pointers' or 'json' is needed");
	return text == "json";
}

inline int run_command(const char *name, const char *usage, int argc, char **argv,
	std::size_t count, void (*command)(const arguments &))
{
	arguments args(argv + (argc ? 1 : 0), argv + argc);

	if (args.size() != count) {
		std::fprintf(stderr, "usage: %s %s\n", name, usage);
		return 2;
	}
	try {
		command(args);
	} catch (const std::exception &failure) {
		std::fprintf(stderr, "%s: %s\n", name, failure.what());
		return 1;
	}
	if (std::fflush(stdout) || std::ferror(stdout)) {
		std::fprintf(stderr, "%s: the output cannot be written\n", name);
		return 1;
	}
	return 0;
}
