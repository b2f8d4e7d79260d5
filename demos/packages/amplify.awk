# SPDX-License-Identifier: MIT
#
# Repeats a dpkg status file `copies` times, so that there is something to measure. The packages of
# copy N are renamed to NAME.N, and so are the names in their dependencies: each copy is a graph
# of its own, of the same shape as the real one.

# Renames every package in the comma- and bar-separated list after the field's name.
function rename(line, suffix,    at, field, relations, alternatives, i, j, n, m, result) {
	at = index(line, ":")
	field = substr(line, 1, at)
	n = split(substr(line, at + 2), relations, /, */)
	for (i = 1; i <= n; i++) {
		m = split(relations[i], alternatives, / *\| */)
		result = result (i > 1 ? ", " : " ")
		for (j = 1; j <= m; j++) {
			sub(/^[a-z0-9.+-]+/, "&" suffix, alternatives[j])
			result = result (j > 1 ? " | " : "") alternatives[j]
		}
	}
	return field result
}

{ lines[NR] = $0 }

END {
	for (copy = 1; copy <= copies; copy++)
		for (i = 1; i <= NR; i++)
			if (lines[i] ~ /^(Package|Depends|Pre-Depends|Provides): /)
				print rename(lines[i], "." copy)
			else
				print lines[i]
}
