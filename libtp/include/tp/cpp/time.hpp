// SPDX-License-Identifier: MIT
//
// Time-outs: durations of std::chrono, or the numbers of the C calls.
#pragma once

#include <chrono>
#include <cstdint>

#include <tp/base.h>

namespace tp
{

// Nanoseconds, TP_FOREVER, TP_NOWAIT; any duration.
class timeout
{
public:
	constexpr timeout(std::int64_t nanoseconds) noexcept : nanoseconds_(nanoseconds)
	{
	}
	// Below zero counts as none left; what is too long to be counted, as long.
	template <typename R, typename P>
	constexpr timeout(std::chrono::duration<R, P> d) noexcept : nanoseconds_(clamp(d))
	{
	}
	constexpr operator std::int64_t() const noexcept
	{
		return nanoseconds_;
	}

private:
	template <typename R, typename P> static constexpr std::int64_t clamp(std::chrono::duration<R, P> d) noexcept
	{
		constexpr std::chrono::hours longest(24 * 365 * 100);

		if (d <= d.zero())
			return TP_NOWAIT;
		if (d >= longest)
			return std::chrono::nanoseconds(longest).count();
		return std::chrono::duration_cast<std::chrono::nanoseconds>(d).count();
	}

	std::int64_t nanoseconds_;
};

inline constexpr timeout forever{TP_FOREVER};
inline constexpr timeout nowait{TP_NOWAIT};

} // namespace tp
