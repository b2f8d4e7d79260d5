# SPDX-License-Identifier: MIT
needs='xz'
cmd() {
	seq 1 400000 >in
	R xz -T2 --block-size=512KiB -2 -k in && R xz -T2 -dc in.xz | cmp - in && R xz -l --robot in.xz | grep -c .
	R xz -T1 -9e -c in | wc -c
	head -c 1000 in.xz >bad.xz
	R xz -t bad.xz
}
