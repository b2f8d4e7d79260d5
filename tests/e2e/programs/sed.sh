# SPDX-License-Identifier: MIT
needs='sed'
cmd() {
	seq 1 5000 >in
	R sed -n -e '/7$/{s/7/<&>/g;p}' -e '$=' in | cksum
	R sed -i -E 's/(.)(.)/\2\1/;1~3d' in && cksum in
	printf 'a\nb\nc\n' | R sed -s 'N;P;D;y/abc/xyz/'
	R sed 's/(/' in
}
