# SPDX-License-Identifier: MIT
needs='dash'
cmd() {
	R dash -c 'i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done; echo $i
		set -- $(seq 300); echo $#; echo "$(echo nested $(echo deep))"
		f() { return $1; }; f 4; echo $?; (trap "echo term" TERM; kill -TERM $(dash -c "echo \$PPID"); echo after)
		cat <<-EOT | while read l; do echo "[$l]"; done
		one
		two
		EOT
		exit 33'
}
