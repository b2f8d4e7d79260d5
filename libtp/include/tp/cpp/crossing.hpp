// SPDX-License-Identifier: MIT
//
// What must not cross to another program, as far as a compiler can see it.
//
//  - Addresses of code: virtual functions (each object points to a table in its maker's executable), function pointers, std::function.
//    The other program would run this one's code, on data of its own, or jump to where nothing is any more.
//  - Memory that is this program's alone: std::string, std::vector and so on, with their usual allocator; std::shared_ptr. Others may read
//    it while this program lives, but must not free it. Under `tprun run --shared-malloc` they may: define TP_SHARED_MALLOC to say so.
//  - Locks that work within a program only: std::mutex and its kin.
//
// Seen are the types that are named to libtp: elements of containers, what is made, published or sent; of those, what pairs, tuples,
// optionals, variants and arrays hold. The members of a struct of one's own are not seen.
#pragma once

#include <any>
#include <array>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace tp
{

// Specialise it as true for a type of one's own that may cross in spite of what is said above.
template <typename T> struct may_cross : std::false_type {
};

namespace detail
{

template <typename T>
inline constexpr bool is_code = std::is_member_function_pointer_v<T> || std::is_function_v<std::remove_pointer_t<T>>;
template <typename S> inline constexpr bool is_code<std::function<S>> = true;
template <> inline constexpr bool is_code<std::any> = true;

template <typename T> inline constexpr bool is_private_lock = false;
template <> inline constexpr bool is_private_lock<std::mutex> = true;
template <> inline constexpr bool is_private_lock<std::timed_mutex> = true;
template <> inline constexpr bool is_private_lock<std::recursive_mutex> = true;
template <> inline constexpr bool is_private_lock<std::recursive_timed_mutex> = true;
template <> inline constexpr bool is_private_lock<std::shared_mutex> = true;
template <> inline constexpr bool is_private_lock<std::condition_variable> = true;

template <typename T> inline constexpr bool is_std_allocator = false;
template <typename T> inline constexpr bool is_std_allocator<std::allocator<T>> = true;

template <typename T, typename = void> inline constexpr bool is_private_memory = false;
template <typename T>
inline constexpr bool is_private_memory<T, std::void_t<typename T::allocator_type>> =
	is_std_allocator<typename T::allocator_type>;
template <typename T> inline constexpr bool is_private_memory<std::unique_ptr<T>> = true;

template <typename T> inline constexpr bool is_std_shared = false;
template <typename T> inline constexpr bool is_std_shared<std::shared_ptr<T>> = true;
template <typename T> inline constexpr bool is_std_shared<std::weak_ptr<T>> = true;

// T itself. Others may only look at it.
template <typename T> constexpr void assert_no_code()
{
	if constexpr (!may_cross<T>::value) {
		static_assert(!std::is_reference_v<T>, "tp: a reference cannot cross to another program: use a pointer");
		static_assert(!std::is_polymorphic_v<T>,
			"tp: a type with virtual functions must not cross to another program: its objects point to a table "
			"in their maker's executable; use std::variant, or functions that take the data");
		static_assert(!is_code<T>,
			"tp: a pointer to a function must not cross to another program, where that code is not: send a number "
			"or a name that stands for it");
		static_assert(!is_private_lock<T>,
			"tp: std:: locks work within one program only: use tp::mutex, tp::condition_variable, tp::shared_mutex");
		static_assert(!is_std_shared<T>,
			"tp: std::shared_ptr keeps functions of its maker in its control block: use tp::shared_ptr");
	}
}

// T itself. Others may change or free it.
template <typename T> constexpr void assert_own()
{
	assert_no_code<T>();
#ifndef TP_SHARED_MALLOC
	if constexpr (!may_cross<T>::value)
		static_assert(!is_private_memory<T>,
			"tp: this keeps its content on one program's own heap, where no other may free it: use tp::string, "
			"tp::vector, tp::unique_ptr and so on, or define TP_SHARED_MALLOC and run with --shared-malloc");
#endif
}

// T, and what the standard's small structures of it hold.
template <typename T> struct crossing {
	static constexpr bool checked = (assert_own<T>(), true);
};
template <typename T> struct crossing<const T> : crossing<T> {
};
template <typename T, std::size_t n> struct crossing<T[n]> : crossing<T> {
};
template <typename T, std::size_t n> struct crossing<std::array<T, n>> : crossing<T> {
};
template <typename T> struct crossing<std::optional<T>> : crossing<T> {
};
template <typename A, typename B> struct crossing<std::pair<A, B>> {
	static constexpr bool checked = crossing<A>::checked && crossing<B>::checked;
};
template <typename... T> struct crossing<std::tuple<T...>> {
	static constexpr bool checked = (true && ... && crossing<T>::checked);
};
template <typename... T> struct crossing<std::variant<T...>> {
	static constexpr bool checked = (true && ... && crossing<T>::checked);
};

} // namespace detail
} // namespace tp
