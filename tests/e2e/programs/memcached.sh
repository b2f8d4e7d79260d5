# SPDX-License-Identifier: MIT
needs='memcached socat'
cmd() {
	local server
	S memcached -u root -s "$PWD/s" -t 4 -m 32 &
	server=$!
	until_true test -S s
	{ for i in $(seq 300); do printf 'set k%d 0 0 3\r\nabc\r\n' "$i"; done; printf 'get k7 k300\r\nincr nosuch 1\r\nquit\r\n'; } | R socat -t 5 - UNIX-CONNECT:s | sort | uniq -c
	R socat -t 5 - UNIX-CONNECT:s <<<$'stats\r\nquit\r' | tr -d '\r' | grep -E 'STAT (threads|curr_items)'
	kill $server
	wait $server
}
