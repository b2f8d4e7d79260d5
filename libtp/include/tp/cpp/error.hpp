// SPDX-License-Identifier: MIT
//
// Failures as exceptions.
#pragma once

#include <cerrno>
#include <cstdio>
#include <new>
#include <string>
#include <system_error>

#include <tp/base.h>

namespace tp
{

namespace detail
{

// Those that say all by themselves leave tp_why as an earlier failure has set it.
constexpr bool has_why(int result) noexcept
{
	switch (-result) {
	case EBADF:
	case EEXIST:
	case EFAULT:
	case EINVAL:
	case ENOENT:
	case ENOSPC:
	case ENOTCONN:
	case EPROTO:
	case EPROTOTYPE:
	case EUCLEAN: return true;
	default: return false;
	}
}

} // namespace detail

// What a call of libtp has returned: code().value() is the errno, what() tells more.
class error : public std::system_error
{
public:
	error(int result, const char *what) : error(result, what, detail::has_why(result))
	{
	}
	error(int result, const char *what, bool why)
	    : std::system_error(-result, std::generic_category(), why ? std::string(what) + ": " + tp_why() : what)
	{
	}

	// The negative errno, as the C call returned it.
	int result() const noexcept
	{
		return -code().value();
	}
};

// The group's heap is full, or this program is in no group.
class no_memory : public std::bad_alloc
{
public:
	no_memory() noexcept
	{
		std::snprintf(why_, sizeof(why_), "tp: no memory: %s", tp_why());
	}
	const char *what() const noexcept override
	{
		return why_;
	}

private:
	char why_[240];
};

// The result if it is not negative.
inline int check(int result, const char *what)
{
	if (result < 0)
		throw error(result, what);
	return result;
}

} // namespace tp
