// SPDX-License-Identifier: MIT
// The same with the C++ face: nothing but headers beyond the C library's calls.
#include <cerrno>
#include <cstdio>

#include <tp/tp.hpp>

int main()
{
	if (tp_connected() == -ENOTCONN) {
		try {
			tp::string text(100, 'x');
			std::printf("%s: outside, but with memory\n", tp_version());
		} catch (const std::bad_alloc &) {
			std::printf("%s: outside, no memory\n", tp_version());
		}
		return 0;
	}
	tp::map<int, tp::string> texts;
	texts[1] = "a text that is too long to be short: inside";
	std::printf("%s: %s\n", tp_version(), texts[1].c_str() + texts[1].size() - 6);
	return tp_heap_check() != 0;
}
