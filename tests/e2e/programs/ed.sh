# SPDX-License-Identifier: MIT
needs='ed m4'
cmd() {
	seq 100 >in
	printf '/50/\n1,$s/1/one/g\n2,10d\n!echo shell\nw out\nbad\nh\nq\n' | R ed -s in
	echo $?
	cksum out
	R m4 -DN=5 - <<'END'
define(`fact', `ifelse($1, 0, 1, `eval($1 * fact(decr($1)))')')fact(N) esyscmd(`echo sub')
syscmd(`exit 3')sysval translit(`abc', `a-c', `x-z') m4exit(9)
END
}
