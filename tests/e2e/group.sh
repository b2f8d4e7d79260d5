# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# To be sourced by every end-to-end test: where things are, groups, checks, waiting. A test gets
#
#	TPRUN    the command (from the environment; else `tprun` found through PATH)
#	TPRUN_HOST  its host program, beside it in a build tree
#	GUESTS   the folder with the built guests
#	WORK     an empty folder of its own, removed at the end
#
# and ends with `finish`: exit 0, or 1 after the first failed check. Exit 77 means skipped.
set -u
TPRUN=${TPRUN:-$(command -v tprun)}
: "${GUESTS:=}"
# shellcheck disable=SC2034 # for tests that start the host elsewhere
: "${TPRUN_HOST:=$(dirname "$TPRUN")/../host/tp-host}"
failures=0
anchors=()

export PATH=/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin
export LC_ALL=C.UTF-8 TZ=UTC

say() {
	printf '%s\n' "$*"
}

skip() {
	say "skipped: $*"
	exit 77
}

need_commands() {
	local c
	for c; do
		command -v "$c" >/dev/null || skip "there is no $c"
	done
}

need_guests() {
	local g
	for g; do
		[ -x "$GUESTS/guest-$g" ] || skip "guest-$g was not built"
	done
}

# ---- checks -------------------------------------------------------------------------------------

fail() {
	say "FAILED: $*"
	failures=$((failures + 1))
}

# same WHAT EXPECTED GOT
same() {
	if [ "$2" = "$3" ]; then
		say "ok: $1"
	else
		fail "$1"
		diff <(printf '%s\n' "$2") <(printf '%s\n' "$3") | head -${DIFF_LINES:-20} | sed 's/^/    /'
	fi
}

# matches WHAT PATTERN GOT: an extended regular expression somewhere in GOT
matches() {
	if grep -Eq -- "$2" <<<"$3"; then
		say "ok: $1"
	else
		fail "$1: no match for '$2' in: $(head -c 600 <<<"$3")"
	fi
}

# within SECONDS COMMAND...: does COMMAND come true in that time?
within() {
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		[ $SECONDS -lt "$end" ] || return 1
		sleep 0.02
	done
}

gone() {
	local p
	for p; do
		[ ! -d "/proc/$p" ] || [ "$(ps -o stat= -p "$p" | cut -c1)" = Z ] || return 1
	done
}

exists() {
	[ -s "$1" ]
}

# ---- running ------------------------------------------------------------------------------------

# tp ARGS...: tprun itself, bounded
tp() {
	timeout -k 5 "${LIMIT:-60}" "$TPRUN" "$@"
}

# alone PROG ARGS...: in a group of its own
alone() {
	tp run -- "$@"
}

# like_native WHAT PROG ARGS...: the same output and status in a group of its own
like_native() {
	local what=$1 expected got
	shift
	expected=$(timeout 60 "$@" 2>&1 </dev/null; echo "status $?")
	got=$(alone "$@" 2>&1 </dev/null; echo "status $?")
	same "$what" "$expected" "$got"
}

# group_start NAME [SLEEPER]: a group that lives until group_stop, through one sleeping program.
# Sets anchor_pid (a program of the group) and tprun_pid (the command in the foreground). $RUN_OPTIONS
# go to the run, too.
group_start() {
	local name=$1 file=$WORK/anchor.$1
	rm -f "$file"
	# shellcheck disable=SC2086 # words
	"$TPRUN" run ${RUN_OPTIONS:-} -g "$name" -- "${2:-$GUESTS/guest-sleeper}" "$file" </dev/null >"$WORK/run.$name.out" \
		2>"$WORK/run.$name.err" &
	tprun_pid=$!
	anchors+=("$tprun_pid")
	if ! within 20 exists "$file"; then
		say "the group $name did not start: $(cat "$WORK/run.$name.err")"
		exit 1
	fi
	anchor_pid=$(cat "$file")
}

group_stop() {
	tp stop -g "$1" >/dev/null 2>&1
	within 10 gone "$tprun_pid" || fail "group $1 did not end after stop"
}

in_group() {
	local name=$1
	shift
	tp exec -g "$name" -- "$@"
}

# The number of mappings in the address space that PID lives in.
vmas() {
	wc -l <"/proc/$1/maps"
}

vmas_are() {
	[ "$(vmas "$1")" -le "$2" ]
}

# vmas_return PID START WHAT: what programs left behind is gone within five seconds
vmas_return() {
	if within 5 vmas_are "$1" "$2"; then
		say "ok: VMAs $3: $2 at the start, $(vmas "$1") at the end"
	else
		fail "VMAs $3: $2 at the start, $(vmas "$1") at the end"
	fi
}

fds_of() {
	ls "/proc/$1/fd" 2>/dev/null | wc -l
}

# group_pids GROUP: the live programs of a group, one pid a line
group_pids() {
	tp ps -g "$1" -o json | jq -r '.. | objects | select(.pid? and .pid > 0) |
		select((.state // "") | test("dead|exited|left") | not) | .pid'
}

# Every descendant of a pid, deepest last.
descendants() {
	local p
	for p in $(pgrep -P "$1"); do
		echo "$p"
		descendants "$p"
	done
}

# ---- a folder of its own ------------------------------------------------------------------------

WORK=$(mktemp -d "${TMPDIR:-/tmp}/tp.XXXXXX")
export WORK
export XDG_RUNTIME_DIR=$WORK/runtime XDG_STATE_HOME=$WORK/state HOME=$WORK/home
# Some programs under test run as another user.
chmod 711 "$WORK"
mkdir -m 700 "$XDG_RUNTIME_DIR" "$XDG_STATE_HOME" "$HOME"

# Ends what this test started and nothing else.
cleanup() {
	local pid
	for pid in "${anchors[@]}"; do
		kill "$pid" 2>/dev/null
	done
	for pid in "${anchors[@]}"; do
		within 5 gone "$pid" || kill -9 "$pid" $(descendants "$pid") 2>/dev/null
	done
	rm -rf "$WORK"
}
trap cleanup EXIT
trap 'exit 143' TERM INT HUP

need_tprun() {
	[ -n "$TPRUN" ] && [ -x "$TPRUN" ] || skip 'there is no tprun to test (set TPRUN)'
}

finish() {
	[ "$failures" -eq 0 ] || say "$failures check(s) failed"
	exit $((failures != 0))
}
