# SPDX-License-Identifier: MIT
needs='mawk'
cmd() {
	seq 1 20000 | R mawk '{ s += $1 * $1; w[$1 % 7]++ } END { printf "%d\n", s; for (i = 0; i < 7; i++) print i, w[i]
		print length(sprintf("%5000s", "")); print "b\na" | "sort"; close("sort"); exit 3 }'
}
