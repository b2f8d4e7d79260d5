// SPDX-License-Identifier: MIT
//
// The records that the three programs share by pointer: a linked list of packages. They are plain
// structs of the standard library's types; nothing in them knows of other programs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

struct package {
	std::string name;
	std::string version;
	std::vector<std::string> depends;  // "a" or, where either will do, "a|b|c"
	std::vector<std::string> provides; // virtual names that this package satisfies
	package *next = nullptr;
};

// Owns its packages, in the order in which they were appended.
class package_list
{
public:
	package_list() = default;
	package_list(const package_list &) = delete;
	package_list &operator=(const package_list &) = delete;

	~package_list()
	{
		while (first_) {
			package *next = first_->next;
			delete first_;
			first_ = next;
		}
	}

	package &append()
	{
		package *added = new package;

		*(last_ ? &last_->next : &first_) = added;
		last_ = added;
		count_++;
		return *added;
	}

	const package *first() const
	{
		return first_;
	}
	std::size_t count() const
	{
		return count_;
	}

private:
	package *first_ = nullptr;
	package *last_ = nullptr;
	std::size_t count_ = 0;
};
