// SPDX-License-Identifier: MIT
//
// Reads dpkg's status file (deb-control(5), dpkg-query(1)) into packages. A paragraph describes one
// package; a line is "Field: value"; a line that starts with a blank continues the one before.
#pragma once

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "packages.hpp"

namespace status_file
{

inline std::string_view trim(std::string_view text)
{
	const char *blanks = " \t";
	std::size_t from = text.find_first_not_of(blanks);

	if (from == std::string_view::npos)
		return {};
	return text.substr(from, text.find_last_not_of(blanks) - from + 1);
}

// Calls `each` with every trimmed part of `text` between `separator`s.
template <typename F> void split(std::string_view text, char separator, F each)
{
	while (!text.empty()) {
		std::size_t end = std::min(text.find(separator), text.size());

		each(trim(text.substr(0, end)));
		text.remove_prefix(std::min(end + 1, text.size()));
	}
}

// "libc6:any (>= 2.34) [amd64]" -> "libc6"
inline std::string_view bare_name(std::string_view relation)
{
	return relation.substr(0, relation.find_first_of(" \t:(["));
}

template <typename Memory> void add_depends(package<Memory> &to, std::string_view value)
{
	split(value, ',', [&](std::string_view relation) {
		typename Memory::string names;

		split(relation, '|', [&](std::string_view alternative) {
			if (!names.empty())
				names += '|';
			names += bare_name(alternative);
		});
		if (!names.empty())
			to.depends.push_back(std::move(names));
	});
}

template <typename Memory> void add_provides(package<Memory> &to, std::string_view value)
{
	split(value, ',', [&](std::string_view relation) {
		if (!relation.empty())
			to.provides.emplace_back(bare_name(relation));
	});
}

// One paragraph as it is read; it becomes a package only if it turns out to be an installed one.
template <typename Memory> struct paragraph {
	package<Memory> fields;
	bool installed = false;

	void take_line(std::string_view line)
	{
		std::size_t colon = line.find(':');
		if (colon == std::string_view::npos || line[0] == ' ' || line[0] == '\t')
			return;

		std::string_view field = line.substr(0, colon);
		std::string_view value = trim(line.substr(colon + 1));
		if (field == "Package")
			fields.name = value;
		else if (field == "Version")
			fields.version = value;
		else if (field == "Status")
			installed = value.substr(value.rfind(' ') + 1) == "installed";
		else if (field == "Depends" || field == "Pre-Depends")
			add_depends(fields, value);
		else if (field == "Provides")
			add_provides(fields, value);
	}

	void finish(package_list<Memory> &to)
	{
		if (installed && !fields.name.empty())
			to.append() = std::move(fields);
		*this = paragraph();
	}
};

template <typename Memory> void read(const std::string &path, package_list<Memory> &to)
{
	std::ifstream file(path);
	std::string line;
	paragraph<Memory> current;

	if (!file)
		throw std::runtime_error(path + ": cannot be opened: " + std::strerror(errno));
	while (std::getline(file, line)) {
		if (line.empty())
			current.finish(to);
		else
			current.take_line(line);
	}
	if (file.bad())
		throw std::runtime_error(path + ": cannot be read to its end");
	current.finish(to);
}

} // namespace status_file
