# SPDX-License-Identifier: MIT
needs='clang'
setup() {
	printf '#include <stdio.h>\nint main(int c, char **v) { for (int i = 0; i < c; i++) printf("%%d\\n", i); return c + 40; }\n' >a.c
}
cmd() {
	R clang -O2 -g -o prog a.c && R ./prog 1 2
	echo $?
	R clang -S -emit-llvm -O1 -o - a.c | grep -c define
	R clang -fsyntax-only -x c - <<<'int main(void) { return }'
}
