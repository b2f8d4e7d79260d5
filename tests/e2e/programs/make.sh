# SPDX-License-Identifier: MIT
needs='make ninja'
setup() {
	printf 'all: $(foreach i,1 2 3 4 5 6 7 8,f$i)\n\t@cat $^\nf%%:\n\t@echo $* | tr 1-8 a-h >$@\nbad:\n\t@exit 3\n' >Makefile
	printf 'rule r\n command = echo $in >$out; echo made $out\nbuild a: r Makefile\nbuild b: r a\ndefault b\n' >build.ninja
}
cmd() {
	R make -s -j3 all && R make -q f1 && R make -n f9
	R ninja -j1 && cat b && R ninja
	R make -s bad
}
