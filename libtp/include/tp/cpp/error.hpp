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

// What a call of libtp has returned: code().value() is the errno, what() tells more.
class error : public std::system_error
{
public:
	error(int result, const char *what)
	    : std::system_error(-result, std::generic_category(), text(result, what))
	{
	}

	// The negative errno, as the C call returned it.
	int result() const noexcept
	{
		return -code().value();
	}

private:
	// Those that only say "not now" have no reason: tp_why would tell that of an earlier failure.
	static std::string text(int result, const char *what)
	{
		const char *why = tp_why();

		if (result == -EAGAIN || result == -ETIMEDOUT || result == -EBUSY || !*why)
			return what;
		return std::string(what) + ": " + why;
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
