// SPDX-License-Identifier: MIT
//
// The standard containers on the group's heap, and that struct tp_str and struct tp_vec are what they say they are.
//
// They are the templates of std:: themselves. All programs that share one are to be built from the same definition of the element and with the
// same comparison and hash.
#pragma once

#include <deque>
#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <tp/cpp/allocator.hpp>
#include <tp/str.h>
#include <tp/vec.h>

namespace tp
{

template <typename C> using basic_string = std::basic_string<C, std::char_traits<C>, allocator<C>>;
using string = basic_string<char>;

template <typename T> using vector = std::vector<T, allocator<T>>;
template <typename T> using deque = std::deque<T, allocator<T>>;
template <typename T> using list = std::list<T, allocator<T>>;
template <typename T> using forward_list = std::forward_list<T, allocator<T>>;

template <typename K, typename V, typename Less = std::less<K>>
using map = std::map<K, V, Less, allocator<std::pair<const K, V>>>;
template <typename K, typename V, typename Less = std::less<K>>
using multimap = std::multimap<K, V, Less, allocator<std::pair<const K, V>>>;
template <typename K, typename Less = std::less<K>> using set = std::set<K, Less, allocator<K>>;
template <typename K, typename Less = std::less<K>> using multiset = std::multiset<K, Less, allocator<K>>;

template <typename K, typename V, typename Hash = std::hash<K>, typename Equal = std::equal_to<K>>
using unordered_map = std::unordered_map<K, V, Hash, Equal, allocator<std::pair<const K, V>>>;
template <typename K, typename V, typename Hash = std::hash<K>, typename Equal = std::equal_to<K>>
using unordered_multimap = std::unordered_multimap<K, V, Hash, Equal, allocator<std::pair<const K, V>>>;
template <typename K, typename Hash = std::hash<K>, typename Equal = std::equal_to<K>>
using unordered_set = std::unordered_set<K, Hash, Equal, allocator<K>>;
template <typename K, typename Hash = std::hash<K>, typename Equal = std::equal_to<K>>
using unordered_multiset = std::unordered_multiset<K, Hash, Equal, allocator<K>>;

static_assert(sizeof(string) == sizeof(tp_str) && alignof(string) == alignof(tp_str), "tp_str is a tp::string");
static_assert(sizeof(string) == sizeof(std::string), "a tp::string is laid out as a std::string");
static_assert(sizeof(vector<int>) == sizeof(tp_vec) && alignof(vector<int>) == alignof(tp_vec), "tp_vec is a tp::vector");
static_assert(sizeof(vector<int>) == sizeof(std::vector<int>), "a tp::vector is laid out as a std::vector");

// The C face of a string or vector, for calls into C: the same object.
inline tp_str *c_face(string &s) noexcept
{
	return reinterpret_cast<tp_str *>(&s);
}
inline const tp_str *c_face(const string &s) noexcept
{
	return reinterpret_cast<const tp_str *>(&s);
}
template <typename T> tp_vec *c_face(vector<T> &v) noexcept
{
	static_assert(std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>,
		"tp: struct tp_vec is a vector of elements that may be copied as bytes");
	return reinterpret_cast<tp_vec *>(&v);
}
template <typename T> const tp_vec *c_face(const vector<T> &v) noexcept
{
	return c_face(const_cast<vector<T> &>(v));
}

} // namespace tp

// Older versions of libstdc++ hash strings of the usual allocator only.
template <> struct std::hash<tp::string> {
	std::size_t operator()(const tp::string &s) const noexcept
	{
		return std::hash<std::string_view>()(s);
	}
};
