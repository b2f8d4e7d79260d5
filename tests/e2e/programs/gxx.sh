# SPDX-License-Identifier: MIT
needs='g++'
setup() {
	cat >a.cpp <<'END'
#include <future>
#include <iostream>
#include <map>
#include <regex>
#include <stdexcept>
#include <thread>
struct noisy { ~noisy() { std::cout << "gone\n"; } };
thread_local int mine = 3;
int main()
{
	std::map<std::string, int> m;
	for (int i = 0; i < 50000; i++) m[std::to_string(i % 777)] += i;
	std::cout << m.size() << ' ' << m["77"] << '\n';
	try { noisy n; throw std::runtime_error("thrown"); } catch (const std::exception &e) { std::cout << e.what() << '\n'; }
	auto f = std::async(std::launch::async, [] { mine = 9; return mine * 2; });
	std::cout << f.get() << ' ' << mine << '\n';
	std::cout << std::regex_replace(std::string("a1b2"), std::regex("[0-9]"), "#") << std::endl;
	try { std::thread([] { throw 1; }).join(); } catch (...) {}
}
END
}
cmd() {
	R g++ -O1 -std=c++17 -pthread -o prog a.cpp && R ./prog
}
