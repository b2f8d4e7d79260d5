# SPDX-License-Identifier: MIT
needs='rsync'
cmd() {
	mkdir -p s/d && seq 20000 >s/a && seq 9 >s/d/b
	touch -d @1000 s/a && R rsync -a s/ t && diff -r s t && echo more >>s/a && touch -d @2000 s/a
	R rsync -a --itemize-changes --no-whole-file s/ t && diff -r s t && R rsync -n -a --delete --out-format=%n s/d/ t
}
