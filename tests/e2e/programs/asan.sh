# SPDX-License-Identifier: MIT
# The address sanitizer needs its shadow at one fixed address.
needs='gcc'
lane=sanitizer
setup() {
	printf '#include <stdlib.h>\n#include <stdio.h>\n#include <string.h>\nint main(int c, char **v) { char *p = malloc(10); memset(p, 1, 10); printf("%%d\\n", p[c * 5]); fflush(stdout); free(p); return c == 3 ? p[1] : 15; }\n' >a.c
	gcc -g -O0 -fno-pie -fsanitize=address -fPIE -pie -o prog a.c
}
cmd() {
	R ./prog
	echo $?
	R ./prog 1
	echo $?
	R ./prog 1 2
}
filter() {
	grep -E '^[0-9]+$|ERROR: AddressSanitizer|SUMMARY' | sed -E 's/==[0-9]+==/==N==/;s/0x[0-9a-f]+/ADDRESS/g'
}
