# SPDX-License-Identifier: MIT
needs='pigz'
cmd() {
	seq 1 300000 >in
	R pigz -p 4 -n -k in && R pigz -dc in.gz | cksum && cksum in.gz && R pigz -l in.gz | tail -1 | awk '{print $1, $2}'
}
