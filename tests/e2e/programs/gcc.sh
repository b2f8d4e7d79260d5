# SPDX-License-Identifier: MIT
# The driver, at a fixed address, with all its children: cpp, cc1, as, collect2, ld.
needs='gcc'
setup() {
	printf '#include <stdio.h>\n#include "part.h"\nint main(void) { printf("%%d\\n", part(20)); return 11; }\n' >main.c
	printf 'int part(int);\n' >part.h
	printf '#include "part.h"\nint part(int n) { return n < 2 ? n : part(n - 1) + part(n - 2); }\n' >part.c
	printf 'int main(void) { return x }\n' >bad.c
}
cmd() {
	R gcc -O2 -Wall -c main.c && R gcc -O2 -c part.c && R gcc -o prog main.o part.o && R ./prog
	echo $?
	R gcc -O2 -flto -static -s -o prog2 main.c part.c && R ./prog2
	R gcc -shared -fPIC -pipe -o libpart.so part.c && R gcc -E part.c | cksum && R gcc -print-search-dirs | head -1
	R gcc -c bad.c
}
