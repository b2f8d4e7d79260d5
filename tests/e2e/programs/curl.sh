# SPDX-License-Identifier: MIT
# From a file and from a small web server on the loopback interface, which runs in the group too.
needs='curl socat'
setup() {
	seq 1 5000 >page
	printf '#!/bin/sh\nread r; printf "HTTP/1.0 200 OK\\r\\nContent-Length: %%d\\r\\n\\r\\n" $(wc -c <page); exec cat page\n' >serve
	chmod +x serve
}
cmd() {
	local port=$(free_port) server
	R curl -sS "file://$PWD/page" | cksum
	S socat "TCP-LISTEN:$port,bind=127.0.0.1,reuseaddr,fork" EXEC:./serve &
	server=$!
	R curl -sS --retry 50 --retry-delay 0 --retry-max-time 10 --retry-connrefused "http://127.0.0.1:$port/" 2>/dev/null | cksum
	R curl -s -o got -w '%{http_code} %{size_download}\n' "http://127.0.0.1:$port/x"
	kill $server
	wait $server
	R curl -sS "http://127.0.0.1:1/"
}
filter() {
	sed 's/after [0-9]* ms/after N ms/'
}
