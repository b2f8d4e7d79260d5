# SPDX-License-Identifier: MIT
needs='bash'
setup() {
	cat >script <<'END'
declare -A seen
trap 'echo leaving $seen_total' EXIT
while read -r word; do ((seen[$word]++)); done < <(printf '%s\n' a b a c b a)
for k in $(printf '%s\n' "${!seen[@]}" | sort); do echo "$k=${seen[$k]}"; done
seen_total=${#seen[@]}
(exit 3); echo "subshell $?"
coproc cat; echo through a coprocess >&"${COPROC[1]}"; read -r line <&"${COPROC[0]}"; echo "$line"
for i in 1 2 3; do (sleep 0.0$i; exit $i) & pids[i]=$!; done
for i in 3 1 2; do wait "${pids[i]}"; echo "child $i gave $?"; done
diff <(seq 5) <(seq 2 6)
trap 'echo got USR1' USR1; kill -USR1 $$; :
[[ abc =~ b(.) ]] && echo "${BASH_REMATCH[1]}"
printf '%(%Y)T\n' 0
echo "$0 $#" "$@" | tr a-z A-Z
exit 9
END
}
cmd() {
	R bash script one 'two three'
}
