# SPDX-License-Identifier: MIT
needs='diff patch cmp'
cmd() {
	seq 1 3000 >a && sed '100,120d;2000s/$/x/' a >b && cp a c
	R diff -u --label a --label b a b >p
	cat p | R patch -s c && R cmp b c && wc -l p
	R diff3 a b c | head -3
	R diff -q a b
}
