# SPDX-License-Identifier: MIT
needs='file xxd less iconv'
cmd() {
	seq 100 >a && gzip -nk a
	R file a a.gz /bin/sh /proc | sed 's/, BuildID.*//'
	R xxd a | R xxd -r | cmp - a && R xxd -i a | tail -1
	R less -FX a | cksum
	printf 'gr\303\274n\n' | R iconv -f UTF-8 -t LATIN1 | od -c | head -1; R iconv -f nosuch -t UTF-8 a
}
