// SPDX-License-Identifier: MIT
//
// Standard containers, handed from program to program as they are.
//
//	tprun run -- ./containers count ::: ./containers words 'the more the merrier'
#include <iostream>
#include <sstream>
#include <string>

#include <tp/tp.hpp>

using counts = tp::map<tp::string, int>;
TP_TYPE(counts, "counts@1")

static void words(const char *text)
{
	auto c = tp::make_unique<counts>();
	std::istringstream in(text);

	for (std::string word; in >> word;)
		(*c)[word.c_str()]++;
	tp::lane<counts>("counts").give(std::move(c));
}

static void count()
{
	tp::channel<counts> in("counts");

	// What was given is freed, by the destructors of this program, when the message goes.
	if (auto m = in.receive(std::chrono::seconds(10)))
		for (const auto &[word, n] : *m)
			std::cout << word << ' ' << n << '\n';
}

int main(int argc, char **argv)
try {
	if (argc > 2)
		words(argv[2]);
	else
		count();
} catch (const std::exception &e) {
	std::cerr << e.what() << '\n';
	return 1;
}
