# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# What the demonstrations' scripts share (bash, sourced).

# demo_init NAME BUILD: finds the build folder and the tprun to use ($TPRUN, if it is set).
demo_init() {
	demo=$1
	build=${2:-$(dirname "${BASH_SOURCE[0]}")/../build}
	build=$(cd "$build" 2>/dev/null && pwd) ||
		fail "there is no build folder ${2:-./build} (run demos/run first)"
	: "${TPRUN:=$build/loader/tprun/tprun}"
	[ -x "$TPRUN" ] || fail "there is no tprun at $TPRUN (run demos/run, or set TPRUN)"
}

say() { printf '\n-- %s\n' "$*"; }
show() { printf '$ %s\n' "$*"; }
pass() { printf '\n%s: ok\n' "$demo"; }

fail() {
	printf '\n%s: FAILED: %s\n' "$demo" "$*" >&2
	exit 1
}

# death_of STATUS: an exit status in words.
death_of() {
	if [ "$1" -gt 128 ]; then
		echo "killed by SIG$(kill -l "$1")"
	else
		echo "exit status $1"
	fi
}
