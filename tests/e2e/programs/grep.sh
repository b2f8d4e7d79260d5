# SPDX-License-Identifier: MIT
needs='grep'
cmd() {
	seq 1 50000 >in
	R grep -c 7 in
	R grep -E '^(.)(.)\2\1$' in | head -5
	R grep -P '(?<=12)3(?!4)' in | tail -3
	R grep -rl 49999 . && R grep -q nosuch in
}
