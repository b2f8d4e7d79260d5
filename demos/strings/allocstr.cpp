// SPDX-License-Identifier: MIT
//
// Makes one std::string on its own heap, prints where it is, and keeps it until standard input
// ends or a signal ends the program. Nothing here knows that another program may read it.
#include <cstdio>
#include <string>

#include <unistd.h>

static void wait_for_end_of_input()
{
	char buffer[256];

	while (read(STDIN_FILENO, buffer, sizeof(buffer)) > 0)
		;
}

int main(int argc, char **argv)
{
	// Far longer than what libstdc++ keeps inside the object, so both the object and its
	// characters are reached through pointers into this program's heap.
	const char *text =
		argc > 1 ? argv[1] : "a std::string that lives on the heap of another program";
	std::string *string = new std::string(text);

	std::printf("%p\n", static_cast<void *>(string));
	std::fflush(stdout);
	wait_for_end_of_input();
	delete string;
	return 0;
}
