# SPDX-License-Identifier: MIT
# Debian's busybox-static is a static executable at a fixed address and a multi-call program.
needs='busybox'
cmd() {
	R busybox sh -c 'seq 1 100 | awk "{s+=\$1} END {print s}"; echo abc | md5sum; expr 6 \* 7; exit 5'
	echo $?
	seq 500 | R busybox sort -rn | R cat | head -3
	ln -s "$(command -v busybox)" basename
	R ./basename /a/b/c
	R busybox ash -c 'ls /proc/self/fd >/dev/null; for i in 1 2 3; do (echo $i); done; wait'
}
