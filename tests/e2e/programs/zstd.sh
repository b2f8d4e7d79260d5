# SPDX-License-Identifier: MIT
needs='zstd'
cmd() {
	seq 1 600000 >in
	R zstd -q -T2 -9 in && R zstd -dc in.zst | cksum && R zstd -q -t in.zst
	R zstd -q -19 -T2 -c in | wc -c
	echo not zstd >bad.zst
	R zstd -d bad.zst
}
