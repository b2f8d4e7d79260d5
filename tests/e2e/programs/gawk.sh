# SPDX-License-Identifier: MIT
needs='gawk'
cmd() {
	seq 1 20000 | R gawk '{ s += $1; c[$1 % 10]++; l[NR % 5] = l[NR % 5] $1 }
		END { print s; PROCINFO["sorted_in"] = "@ind_num_asc"; for (k in c) print k, c[k]
		for (k in l) print k, length(l[k]); "echo from a command" | getline x; print x
		print gensub(/(b+)/, "<\\1>", "g", "abbbcb"), strtonum("0x1f"), toupper("q")
		cmd = "sort"; print "z\na" |& cmd; close(cmd, "to"); while ((cmd |& getline y) > 0) print y
		exit 6 }'
}
