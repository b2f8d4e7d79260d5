# SPDX-License-Identifier: MIT
needs='gzip bzip2 lz4'
cmd() {
	seq 1 200000 >in
	R gzip -9nk in && R gzip -dc in.gz | cmp - in && cksum in.gz && R zcat in.gz | tail -1
	R bzip2 -k in && R bzip2 -t in.bz2 && R bzip2 -dc in.bz2 | cksum && cksum in.bz2
	R lz4 -q -k in in.lz4 && R lz4 -dc in.lz4 | cksum
	R gzip -d in.bz2
}
