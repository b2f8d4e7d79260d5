// SPDX-License-Identifier: MIT
//
// Objects on the group's heap: made by one program, destroyed by any.
//
// The destructor that runs is the destroying program's own code for that type. So a pointer to a base cannot destroy what was made as a
// derived type, and is not made from one.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include <tp/cpp/allocator.hpp>

namespace tp
{

// An object on the group's heap; destroy() ends it, in this program or another. Throws tp::no_memory, and what the constructor throws.
template <typename T, typename... A> [[nodiscard]] T *make(A &&...args)
{
	static_assert(!std::is_array_v<T>, "tp: make no bare array: nobody would know how long it is; use tp::vector or std::array");
	static_assert(detail::crossing<T>::checked);
	void *at = detail::allocate(sizeof(T), alignof(T));

	try {
		return ::new (at) T(std::forward<A>(args)...);
	} catch (...) {
		tp_free(at);
		throw;
	}
}

// Null is fine. Return: as tp_free.
template <typename T> int destroy(T *p) noexcept
{
	static_assert(!std::is_polymorphic_v<T>, "tp: a type with virtual functions must not cross to another program");
	if (!p)
		return 0;
	p->~T();
	return tp_free(const_cast<std::remove_cv_t<T> *>(p));
}

template <typename T> struct deleter {
	constexpr deleter() noexcept = default;
	// To const, and nothing else.
	template <typename U, typename = std::enable_if_t<std::is_same_v<const U, T>>>
	constexpr deleter(const deleter<U> &) noexcept
	{
	}
	void operator()(T *p) const noexcept
	{
		destroy(p);
	}
};

template <typename T> struct deleter<T[]> {
	static_assert(!sizeof(T *), "tp: unique_ptr to an array of unknown length: nobody could destroy it; use tp::vector or std::array");
};

// One pointer in size; goes through tp::lane<T>::give.
template <typename T> using unique_ptr = std::unique_ptr<T, deleter<T>>;
static_assert(sizeof(unique_ptr<int>) == sizeof(int *));

template <typename T, typename... A> [[nodiscard]] unique_ptr<T> make_unique(A &&...args)
{
	return unique_ptr<T>(make<T>(std::forward<A>(args)...));
}

} // namespace tp
