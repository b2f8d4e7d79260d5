# SPDX-License-Identifier: MIT
needs='cpio'
cmd() {
	seq 2000 >a && seq 5 >b && touch -d @0 a b
	printf 'a\nb\n' | R cpio -o -H newc --reproducible -R 0:0 2>&1 >t.cpio; R cpio -tv <t.cpio 2>&1
	mkdir x && cd x && R cpio -id <../t.cpio && cmp a ../a
}
