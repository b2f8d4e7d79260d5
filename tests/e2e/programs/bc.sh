# SPDX-License-Identifier: MIT
needs='bc dc'
cmd() {
	R bc -lq <<'END'
scale = 300; 4 * a(1); 2 ^ 1000
define f(n) {
	if (n < 2) return (1);
	return (n * f(n - 1));
}
f(100)
END
	R dc -e '40k 2v p 16o 123456789 p [la1+dsa100>b]sb 0sa lbx lap 5 3 | q'
	echo '1/0' | R bc
}
