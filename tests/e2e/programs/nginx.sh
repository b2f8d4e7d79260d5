# SPDX-License-Identifier: MIT
needs='nginx curl'
setup() {
	mkdir -p html logs && seq 1 20000 >html/page
	chmod -R a+rX .
}
cmd() {
	local port=$(free_port) server
	cat >conf <<END
worker_processes 2; pid $PWD/pid; error_log $PWD/logs/error notice; daemon off;
$([ "$(id -u)" -ne 0 ] || echo 'user root;')
events { worker_connections 64; }
http { access_log $PWD/logs/access; root $PWD/html; client_body_temp_path $PWD/a; proxy_temp_path $PWD/b;
fastcgi_temp_path $PWD/c; uwsgi_temp_path $PWD/d; scgi_temp_path $PWD/e; gzip on; gzip_types *;
server { listen 127.0.0.1:$port; location /up { return 200 "up\n"; } location /proxy/ { proxy_pass http://127.0.0.1:$port/; } } }
END
	R nginx -e logs/error -p "$PWD" -c "$PWD/conf" -t 2>&1 | grep -c ok
	S nginx -e logs/error -p "$PWD" -c "$PWD/conf" &
	server=$!
	until_true curl -sf "http://127.0.0.1:$port/up"
	R curl -s "http://127.0.0.1:$port/page" | cksum
	R curl -s --compressed "http://127.0.0.1:$port/proxy/page" | cksum
	R curl -s -o /dev/null -w '%{http_code}\n' "http://127.0.0.1:$port/nosuch"
	for i in 1 2 3 4 5; do curl -s "http://127.0.0.1:$port/page" | cksum & done
	R nginx -e logs/error -p "$PWD" -c "$PWD/conf" -s reload
	until_true curl -sf "http://127.0.0.1:$port/up"
	kill -QUIT "$(cat pid)"
	wait $server
}
