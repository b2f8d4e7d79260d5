# SPDX-License-Identifier: MIT
# The user's own LD_PRELOAD libraries are loaded, in their order.
needs='gcc'
setup() {
	printf '#include <stdio.h>\n__attribute__((constructor)) static void c(void) { fprintf(stderr, "%%s loaded\\n", N); }\nint getpagesize(void) { return V; }\nint main(void);\n' >p.c
	printf '#include <stdio.h>\n#include <unistd.h>\nint main(void) { printf("%%d\\n", getpagesize()); return 0; }\n' >a.c
	gcc -shared -fPIC -DN='"one"' -DV=1 -o one.so p.c && gcc -shared -fPIC -DN='"two"' -DV=2 -o two.so p.c && gcc -o prog a.c
}
cmd() {
	R ./prog
	LD_PRELOAD="$PWD/one.so:$PWD/two.so" ; export LD_PRELOAD
	R ./prog 2>&1
	LD_PRELOAD="$PWD/two.so:$PWD/one.so"
	R ./prog 2>&1
	unset LD_PRELOAD
}
filter() {
	# The shell tools around the program load the libraries, too.
	sort | uniq | grep -v '^$'
}
