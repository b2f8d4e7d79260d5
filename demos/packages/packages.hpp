// SPDX-License-Identifier: MIT
//
// The records that the three programs share by pointer: a linked list of packages.
#pragma once

#include <cstddef>

#include "memory.hpp"

template <typename Memory> struct package {
	typename Memory::string name;
	typename Memory::string version;
	// "a" or, where either will do, "a|b|c"
	typename Memory::template vector<typename Memory::string> depends;
	// virtual names that this package satisfies
	typename Memory::template vector<typename Memory::string> provides;
	package *next = nullptr;
};

// Owns its packages, in the order in which they were appended.
template <typename Memory> class package_list
{
public:
	package_list() = default;
	package_list(const package_list &) = delete;
	package_list &operator=(const package_list &) = delete;

	~package_list()
	{
		while (first_) {
			package<Memory> *next = first_->next;
			Memory::destroy(first_);
			first_ = next;
		}
	}

	package<Memory> &append()
	{
		auto *added = Memory::template make<package<Memory>>();

		*(last_ ? &last_->next : &first_) = added;
		last_ = added;
		count_++;
		return *added;
	}

	const package<Memory> *first() const
	{
		return first_;
	}
	std::size_t count() const
	{
		return count_;
	}

private:
	package<Memory> *first_ = nullptr;
	package<Memory> *last_ = nullptr;
	std::size_t count_ = 0;
};
