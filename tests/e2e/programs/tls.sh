# SPDX-License-Identifier: MIT
# A TLS server and its client.
needs='openssl'
setup() {
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key -subj /CN=localhost -days 9 -out cert
}
cmd() {
	local port=$(free_port) server
	S openssl s_server -quiet -accept "127.0.0.1:$port" -key key -cert cert -www &
	server=$!
	until_true bash -c "exec 3<>/dev/tcp/127.0.0.1/$port"
	printf 'GET / HTTP/1.0\r\n\r\n' | R openssl s_client -quiet -connect "127.0.0.1:$port" -CAfile cert 2>&1 | grep -aE '^(verify|depth|HTTP|.*Cipher    :)'
	kill $server
	wait $server 2>/dev/null
}
