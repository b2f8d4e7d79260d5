# SPDX-License-Identifier: MIT
needs='zip unzip'
cmd() {
	seq 5000 >a && seq 9 >b && touch -d @1000000000 a b
	R zip -qX t.zip a b && cksum t.zip && R unzip -l t.zip && mkdir x && R unzip -q t.zip -d x && cmp a x/a
	R unzip -t nosuch.zip
}
