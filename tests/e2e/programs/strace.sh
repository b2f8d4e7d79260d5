# SPDX-License-Identifier: MIT
needs='strace'
cmd() {
	R strace -V | head -1
	R strace -f -e trace=write,exit_group -e signal=none -o log sh -c 'echo traced; exit 6'
	s=$?
	sed -E 's/^[0-9]+ +//' log | grep -v '^+++' | sort
	return $s
}
