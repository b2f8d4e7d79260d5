// SPDX-License-Identifier: MIT
//
// tp::shared_ptr: the last program that drops it destroys the object, whichever that is.
//
// The count lies in the group's heap and holds no address of code: who drops the last reference runs its own destructor for T. There is no
// conversion to a base and no custom deleter, since that could not be said without an address of code.
//
// Orders: a reference that is copied needs no order (relaxed), since the copier holds one. Dropping is release, so that all uses come
// before the destructor, and the last one acquires, as its partner.
//
// A program that is killed never drops what it held: its objects stay (a leak), they are never destroyed under the others. Where programs
// come and go, prefer tp::unique_ptr and channels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <type_traits>
#include <utility>

#include <tp/cpp/pointer.hpp>

namespace tp
{

// In the group's heap. Frozen: programs of different versions share it.
struct shared_count {
	std::uint64_t strong;
	std::uint64_t weak;     // all strong ones together are one of these
	std::uint32_t together; // 1: the object lies in the same block, behind this
	std::uint32_t reserved0;
	std::uint64_t reserved;
};
static_assert(sizeof(shared_count) == 32 && offsetof(shared_count, together) == 16);

namespace detail
{

template <typename T> struct shared_block {
	shared_count count;
	alignas(T) unsigned char object[sizeof(T)];
};

inline void add(std::uint64_t *count) noexcept
{
	__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}

// Was it the last?
inline bool drop(std::uint64_t *count) noexcept
{
	return __atomic_fetch_sub(count, 1, __ATOMIC_ACQ_REL) == 1;
}

// One more, unless there is none.
inline bool add_if_any(std::uint64_t *count) noexcept
{
	std::uint64_t seen = __atomic_load_n(count, __ATOMIC_RELAXED);

	while (seen)
		if (__atomic_compare_exchange_n(count, &seen, seen + 1, true, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return true;
	return false;
}

inline void drop_weak(shared_count *count) noexcept
{
	if (count && drop(&count->weak))
		tp_free(count);
}

template <typename T> void drop_strong(T *object, shared_count *count) noexcept
{
	if (!count || !drop(&count->strong))
		return;
	if (count->together)
		object->~T();
	else
		destroy(object);
	drop_weak(count);
}

} // namespace detail

template <typename T> class weak_ptr;

template <typename T> class shared_ptr
{
	static_assert(!std::is_array_v<T>, "tp: share a tp::vector or a std::array instead of a bare array");

public:
	using element_type = T;
	using weak_type = weak_ptr<T>;

	constexpr shared_ptr() noexcept = default;
	constexpr shared_ptr(std::nullptr_t) noexcept
	{
	}
	shared_ptr(const shared_ptr &from) noexcept : object_(from.object_), count_(from.count_)
	{
		if (count_)
			detail::add(&count_->strong);
	}
	shared_ptr(shared_ptr &&from) noexcept
	    : object_(std::exchange(from.object_, nullptr)), count_(std::exchange(from.count_, nullptr))
	{
	}
	// To const, and nothing else.
	template <typename U, typename = std::enable_if_t<std::is_same_v<const U, T>>>
	shared_ptr(shared_ptr<U> from) noexcept
	    : object_(std::exchange(from.object_, nullptr)), count_(std::exchange(from.count_, nullptr))
	{
	}
	// Throws tp::no_memory; `from` then has its object still.
	shared_ptr(unique_ptr<T> &&from)
	{
		if (!from)
			return;
		count_ = ::new (detail::allocate(sizeof(shared_count), alignof(shared_count))) shared_count{1, 1, 0, 0, 0};
		object_ = from.release();
	}
	~shared_ptr()
	{
		detail::drop_strong(object_, count_);
	}
	shared_ptr &operator=(shared_ptr from) noexcept
	{
		swap(from);
		return *this;
	}

	void swap(shared_ptr &with) noexcept
	{
		std::swap(object_, with.object_);
		std::swap(count_, with.count_);
	}
	void reset() noexcept
	{
		shared_ptr().swap(*this);
	}
	T *get() const noexcept
	{
		return object_;
	}
	T &operator*() const noexcept
	{
		return *object_;
	}
	T *operator->() const noexcept
	{
		return object_;
	}
	explicit operator bool() const noexcept
	{
		return object_;
	}
	// Of a moment that is over already, if others hold some.
	std::uint64_t use_count() const noexcept
	{
		return count_ ? __atomic_load_n(&count_->strong, __ATOMIC_RELAXED) : 0;
	}

private:
	template <typename U> friend class shared_ptr;
	template <typename U> friend class weak_ptr;
	template <typename U, typename... A> friend shared_ptr<U> make_shared(A &&...args);

	shared_ptr(T *object, shared_count *count) noexcept : object_(object), count_(count)
	{
	}

	T *object_ = nullptr;
	shared_count *count_ = nullptr;
};
static_assert(sizeof(shared_ptr<int>) == 2 * sizeof(void *), "two pointers, in each program");

// Object and count in one block. Throws tp::no_memory, and what the constructor throws.
template <typename T, typename... A> [[nodiscard]] shared_ptr<T> make_shared(A &&...args)
{
	using block = detail::shared_block<std::remove_const_t<T>>;
	static_assert(detail::crossing<T>::checked);
	auto *made = static_cast<block *>(detail::allocate(sizeof(block), alignof(block)));

	try {
		T *object = ::new (static_cast<void *>(made->object)) T(std::forward<A>(args)...);

		return shared_ptr<T>(object, ::new (&made->count) shared_count{1, 1, 1, 0, 0});
	} catch (...) {
		tp_free(made);
		throw;
	}
}

// Does not keep the object, but can tell whether it is there.
template <typename T> class weak_ptr
{
public:
	constexpr weak_ptr() noexcept = default;
	weak_ptr(const shared_ptr<T> &from) noexcept : object_(from.object_), count_(from.count_)
	{
		if (count_)
			detail::add(&count_->weak);
	}
	weak_ptr(const weak_ptr &from) noexcept : object_(from.object_), count_(from.count_)
	{
		if (count_)
			detail::add(&count_->weak);
	}
	weak_ptr(weak_ptr &&from) noexcept
	    : object_(std::exchange(from.object_, nullptr)), count_(std::exchange(from.count_, nullptr))
	{
	}
	~weak_ptr()
	{
		detail::drop_weak(count_);
	}
	weak_ptr &operator=(weak_ptr from) noexcept
	{
		std::swap(object_, from.object_);
		std::swap(count_, from.count_);
		return *this;
	}

	// Empty where the object is gone.
	shared_ptr<T> lock() const noexcept
	{
		if (!count_ || !detail::add_if_any(&count_->strong))
			return {};
		return shared_ptr<T>(object_, count_);
	}
	bool expired() const noexcept
	{
		return !count_ || !__atomic_load_n(&count_->strong, __ATOMIC_RELAXED);
	}
	void reset() noexcept
	{
		*this = weak_ptr();
	}

private:
	T *object_ = nullptr;
	shared_count *count_ = nullptr;
};

template <typename T, typename U> bool operator==(const shared_ptr<T> &a, const shared_ptr<U> &b) noexcept
{
	return a.get() == b.get();
}
template <typename T, typename U> bool operator!=(const shared_ptr<T> &a, const shared_ptr<U> &b) noexcept
{
	return a.get() != b.get();
}
template <typename T> bool operator==(const shared_ptr<T> &a, std::nullptr_t) noexcept
{
	return !a;
}
template <typename T> bool operator!=(const shared_ptr<T> &a, std::nullptr_t) noexcept
{
	return !!a;
}
template <typename T, typename U> bool operator<(const shared_ptr<T> &a, const shared_ptr<U> &b) noexcept
{
	return std::less<const void *>()(a.get(), b.get());
}

} // namespace tp

template <typename T> struct std::hash<tp::shared_ptr<T>> {
	std::size_t operator()(const tp::shared_ptr<T> &p) const noexcept
	{
		return std::hash<T *>()(p.get());
	}
};
