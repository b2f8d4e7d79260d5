# SPDX-License-Identifier: MIT
# tcc -run compiles into memory and jumps there.
needs='tcc'
cmd() {
	R tcc -run - a b <<'END'
#include <stdio.h>
int main(int c, char **v) { int s = 0; for (int i = 0; i < 100000; i++) s += i % 7; printf("%d %d %s\n", s, c, v[1]); return 17; }
END
}
