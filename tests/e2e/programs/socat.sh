# SPDX-License-Identifier: MIT
# Server and client of one connection, both in the group.
needs='socat nc'
cmd() {
	local port=$(free_port) server
	seq 1 100000 >in
	S socat "TCP-LISTEN:$port,bind=127.0.0.1,reuseaddr" SYSTEM:'cksum' &
	server=$!
	until_true grep -qi ":$(printf %04X "$port") 00000000:0000 0A" /proc/net/tcp
	R socat -t 5 - "TCP:127.0.0.1:$port" <in
	wait $server
	S socat UNIX-LISTEN:u - >got </dev/null &
	server=$!
	until_true test -S u
	R nc -NU u <in
	wait $server
	cmp in got
}
