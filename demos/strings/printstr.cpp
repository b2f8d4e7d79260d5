// SPDX-License-Identifier: MIT
//
// Takes an address as its argument and prints the std::string that lives there. In a process of
// its own there is nothing at that address and this crashes.
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

int main(int argc, char **argv)
{
	char *end = nullptr;

	errno = 0;
	std::uintptr_t address = argc == 2 ? std::strtoull(argv[1], &end, 16) : 0;
	if (!address || *end || errno) {
		std::fprintf(stderr, "printstr: one argument is needed: "
				     "the address of a std::string, such as 0x7f0012345678\n");
		return 2;
	}

	const std::string *string = reinterpret_cast<const std::string *>(address);
	std::printf("%s\n", string->c_str());
	return 0;
}
