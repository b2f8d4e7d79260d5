// SPDX-License-Identifier: MIT
//
// The group's heap for the standard containers. It has no state: containers on it have the layout that they have with the usual one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include <tp/cpp/config.hpp>
#include <tp/cpp/crossing.hpp>
#include <tp/cpp/error.hpp>
#include <tp/heap.h>

namespace tp
{

namespace detail
{

// What tp_malloc aligns to.
inline constexpr std::size_t usual_align = 16;

inline void *allocate(std::size_t size, std::size_t align)
{
	void *p = nullptr;

	if (align <= usual_align)
		p = tp_malloc(size);
	else if (tp_alloc(size, align, &p) < 0)
		p = nullptr;
	if (!p)
		throw no_memory();
	return p;
}

} // namespace detail

template <typename T> class allocator
{
public:
	using value_type = T;
	using is_always_equal = std::true_type;
	using propagate_on_container_move_assignment = std::true_type;
	using propagate_on_container_copy_assignment = std::true_type;
	using propagate_on_container_swap = std::true_type;

	constexpr allocator() noexcept = default;
	template <typename U> constexpr allocator(const allocator<U> &) noexcept
	{
	}

	// Throws std::bad_array_new_length, tp::no_memory.
	[[nodiscard]] T *allocate(std::size_t n)
	{
		static_assert(detail::crossing<T>::checked);
		if (n > PTRDIFF_MAX / sizeof(T))
			throw std::bad_array_new_length();
		return static_cast<T *>(detail::allocate(n * sizeof(T), alignof(T)));
	}

	void deallocate(T *p, std::size_t) noexcept
	{
		tp_free(p);
	}

	// Containers of nodes allocate nodes, but construct elements: here the elements' type is seen.
	template <typename U, typename... A> void construct(U *p, A &&...args)
	{
		static_assert(detail::crossing<U>::checked);
		::new (static_cast<void *>(p)) U(std::forward<A>(args)...);
	}
};

template <typename T, typename U>
constexpr bool operator==(const allocator<T> &, const allocator<U> &) noexcept
{
	return true;
}

template <typename T, typename U>
constexpr bool operator!=(const allocator<T> &, const allocator<U> &) noexcept
{
	return false;
}

} // namespace tp
