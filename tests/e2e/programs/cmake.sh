# SPDX-License-Identifier: MIT
needs='cmake gcc make'
limit=120
setup() {
	printf 'cmake_minimum_required(VERSION 3.10)\nproject(x C)\nadd_library(l STATIC l.c)\nadd_executable(x x.c)\ntarget_link_libraries(x l)\nenable_testing()\nadd_test(t x)\n' >CMakeLists.txt
	printf 'int l(void) { return 0; }\n' >l.c
	printf 'int l(void); int main(void) { return l(); }\n' >x.c
}
cmd() {
	R cmake -S . -B out -G 'Unix Makefiles' && R cmake --build out && cd out && R ctest && R cmake -E echo done
	R cmake -P nosuch.cmake
}
filter() {
	sed -E 's/[0-9.]+ sec/N sec/g;s/\([0-9.]+s\)/(N s)/'
}
