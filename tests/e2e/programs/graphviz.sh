# SPDX-License-Identifier: MIT
needs='dot'
cmd() {
	for i in $(seq 60); do echo "n$i -> n$((i * 7 % 60)); n$i -> n$((i * 3 % 60));"; done | { echo 'digraph g {'; cat; echo '}'; } >g.dot
	R dot -Tplain g.dot | cksum && R dot -Tsvg g.dot | grep -c '<g'
	R neato -Tdot g.dot | wc -l
	echo 'digraph {' | R dot
}
