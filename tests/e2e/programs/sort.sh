# SPDX-License-Identifier: MIT
needs='sort shuf'
cmd() {
	seq 1 200000 | R shuf --random-source=<(yes) | R sort -n --parallel=4 -S 2M -T . | cksum
	seq 1 30000 | R sort -R --random-source=<(yes) | R sort -k1.2,1.3 -s | cksum
	printf 'b\na\nb\n' | R sort -u | R uniq -c
	R sort nosuch
}
