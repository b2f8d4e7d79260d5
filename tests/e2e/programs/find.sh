# SPDX-License-Identifier: MIT
needs='find xargs'
cmd() {
	mkdir -p d/{a,b,c}/{1,2,3} && for i in $(seq 60); do echo "$i" >"d/a/1/f$i"; done
	R find d -type d | LC_ALL=C sort
	R find d -name 'f*' -size -2 -exec cat {} + | sort -n | cksum
	R find d -name '*5' -print0 | sort -z | R xargs -0 -n 2 -P 1 echo got
	R find d -name 'f1?' -delete && R find d -type f | wc -l
	R find nosuch
}
