# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Completion of tprun for bash. After `--` or `:::` it is that of the program.

# Names of live groups: the folders that hold a control socket.
_tprun_groups() {
	local dir=${XDG_RUNTIME_DIR:+$XDG_RUNTIME_DIR/tprun} socket
	for socket in "${dir:-/tmp/tprun-$(id -u)}"/*/control; do
		[ -S "$socket" ] || continue
		socket=${socket%/control}
		printf '%s\n' "${socket##*/}"
	done
}

# Names of the programs of the group that the line so far speaks of.
_tprun_programs() {
	local i group=()
	for ((i = 2; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		-g | --group) group=(-g "${COMP_WORDS[i + 1]}") ;;
		esac
	done
	"${COMP_WORDS[0]}" ps "${group[@]}" 2>/dev/null </dev/null | awk 'NR > 1 { print $1 }'
}

# Index of the word that is the current program's name; 0 if no program has begun.
_tprun_program_at() {
	local i at=0
	for ((i = 2; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--) [ "$at" -ne 0 ] || at=$((i + 1)) ;;
		:::) at=$((i + 1)) ;;
		esac
	done
	printf '%d\n' "$at"
}

_tprun_command() {
	if declare -F _command_offset >/dev/null; then
		_command_offset "$1"
	elif [ "$COMP_CWORD" -eq "$1" ]; then
		mapfile -t COMPREPLY < <(compgen -c -- "$cur")
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
	fi
}

_tprun_words() {
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
}

_tprun_options() {
	case $1 in
	run) printf '%s\n' -g --group --linger --leave --heap --shared-malloc --root --exit-on --help -- ;;
	exec) printf '%s\n' -g --group -t --tty --linger --shared-malloc --root --help -- ;;
	ps | counters) printf '%s\n' -g --group -o --output --help ;;
	maps | stop) printf '%s\n' -g --group --help ;;
	doctor) printf '%s\n' -o --output --help ;;
	esac
}

_tprun() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} at
	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		_tprun_words 'run exec ps maps counters stop doctor help --help --version'
		return
	fi
	at=$(_tprun_program_at)
	if [ "$at" -ne 0 ]; then
		_tprun_command "$at"
		return
	fi
	case $prev in
	-g | --group) _tprun_words "$(_tprun_groups)" ;;
	-o | --output) _tprun_words json ;;
	--root) mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
	--exit-on) _tprun_words 'first-exit first-failure all' ;;
	*)
		case ${COMP_WORDS[1]} in
		maps | counters | stop) [[ $cur == -* ]] || {
			_tprun_words "$(_tprun_programs)"
			return
		} ;;
		help) _tprun_words 'run exec ps maps counters stop doctor' && return ;;
		esac
		_tprun_words "$(_tprun_options "${COMP_WORDS[1]}")"
		;;
	esac
}

complete -F _tprun tprun
