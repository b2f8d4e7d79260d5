# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# To be sourced after group.sh by the tests of libtp: programs in the background that say how far they are. Gets TPGUESTS, the folder with
# the built programs, and LIBTP, that of the built library.

# behind FILE GROUP GUEST ARG...: starts a program of the group in the background, which writes to WORK/FILE. Sets `behind`, the command
# that waits for it.
behind() {
	local file=$1 group=$2 guest=$3
	shift 3
	: >"$WORK/$file"
	LIMIT=200 tp exec -g "$group" -- "$TPGUESTS/tp-$guest" "$@" >"$WORK/$file" 2>&1 </dev/null &
	behind=$!
	anchors+=("$behind")
}

said() {
	grep -qsx -- "$2" "$WORK/$1"
}

# await FILE LINE: until the program has said this
await() {
	within 60 said "$1" "$2" || fail "$1 never said '$2': $(cat "$WORK/$1")"
}

# The pid of the one program of a group that has this name.
pid_of() {
	tp ps -g "$1" -o json | jq -r --arg name "$2" '.. | objects | select(.name? == $name and .pid? and .state? == "running") | .pid' | head -1
}
