# SPDX-License-Identifier: MIT
needs='jq'
cmd() {
	R jq -nc '[range(20000) | {a: ., b: (. % 17 | tostring)}]' >in.json
	R jq -c 'group_by(.b) | map({k: .[0].b, n: length, s: (map(.a) | add)}) | .[:4]' in.json
	R jq -r '.[5:8][] | @csv "\([.a, .b])", @base64' in.json
	echo '{bad' | R jq .
}
