// SPDX-License-Identifier: MIT
//
// Where the records lie: on the heap of the program that makes them, or on the one that all programs of a group share. Everything else
// about them is the same.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tp/tp.hpp>

struct own_memory {
	using string = std::string;
	template <typename T> using vector = std::vector<T>;

	template <typename T> static T *make()
	{
		return new T;
	}
	template <typename T> static void destroy(T *object)
	{
		delete object;
	}
};

struct group_memory {
	using string = tp::string;
	template <typename T> using vector = tp::vector<T>;

	template <typename T> static T *make()
	{
		return tp::make<T>();
	}
	template <typename T> static void destroy(T *object)
	{
		tp::destroy(object);
	}
};
