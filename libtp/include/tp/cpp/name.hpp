// SPDX-License-Identifier: MIT
//
// Names for objects, with their types.
//
// A type gets its name once, beside its definition:
//
//	struct order { … };
//	TP_TYPE(order, "order@1")
//
// Give it another name, "order@2", whenever its members change: programs built before and after then do not take one for the other.
#pragma once

#include <string_view>
#include <type_traits>

#include <tp/cpp/crossing.hpp>
#include <tp/cpp/error.hpp>
#include <tp/cpp/time.hpp>
#include <tp/name.h>

namespace tp
{

namespace detail
{

// As the table of names wants it, with room for the "chan:" of channels.
constexpr bool is_type_name(std::string_view name)
{
	if (name.empty() || name.size() > TP_NAME_LENGTH_MAX - 5)
		return false;
	for (char c : name)
		if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
			return false;
	return true;
}

} // namespace detail

template <typename T> struct type_name {
	static_assert(!sizeof(T *), "tp: this type has no name for the other programs yet: TP_TYPE(type, \"name@version\") beside its definition");
};
template <typename T> struct type_name<const T> : type_name<T> {
};

} // namespace tp

// In no namespace. A type whose own name has commas: by way of a `using`.
#define TP_TYPE(type, text)                                                                                            \
	template <> struct tp::type_name<type> {                                                                       \
		static_assert(tp::detail::is_type_name(text),                                                          \
			"tp: a type's name has 1 to 58 characters, no control characters among them");                 \
		static constexpr const char *value = text;                                                             \
	};

namespace tp
{

// What a name stood for when it was looked up.
template <typename T> class found
{
public:
	explicit found(const tp_name &name) noexcept : name_(name)
	{
	}
	T *get() const noexcept
	{
		return static_cast<T *>(name_.ptr);
	}
	T &operator*() const noexcept
	{
		return *get();
	}
	T *operator->() const noexcept
	{
		return get();
	}
	// 0: the name stands for this still; -ESTALE: not any more; -EOWNERDEAD.
	int try_check() const noexcept
	{
		return tp_name_check(&name_);
	}
	const tp_name &c_face() const noexcept
	{
		return name_;
	}

private:
	tp_name name_;
};

// The object stays the caller's; it may lie in this program's own memory, for as long as the program lives and the name stands (not with
// TP_PUBLISH_KEEP). Throws tp::error.
template <typename T> void publish(const char *name, T &object, unsigned flags = 0)
{
	detail::assert_no_code<std::remove_const_t<T>>();
	check(tp_publish(name, &object, type_name<T>::value, flags), name);
}

template <typename T> void unpublish(const char *name)
{
	check(tp_unpublish(name, type_name<T>::value), name);
}

// Throws tp::error: ENOENT, EPROTOTYPE (the name has another type), EOWNERDEAD.
template <typename T> found<T> lookup(const char *name)
{
	tp_name raw;

	check(tp_lookup(name, type_name<T>::value, &raw), name);
	return found<T>(raw);
}

// Waits until somebody has published it. Throws tp::error: ETIMEDOUT.
template <typename T> found<T> wait(const char *name, timeout t = forever)
{
	tp_name raw;

	check(tp_wait(name, type_name<T>::value, t, &raw), name);
	return found<T>(raw);
}

// For where a missing name is nothing special.
template <typename T> int try_publish(const char *name, T &object, unsigned flags = 0) noexcept
{
	detail::assert_no_code<std::remove_const_t<T>>();
	return tp_publish(name, &object, type_name<T>::value, flags);
}

template <typename T> int try_lookup(const char *name, T **ret_object) noexcept
{
	tp_name raw;
	int r = tp_lookup(name, type_name<T>::value, &raw);

	if (r == 0)
		*ret_object = static_cast<T *>(raw.ptr);
	return r;
}

} // namespace tp
