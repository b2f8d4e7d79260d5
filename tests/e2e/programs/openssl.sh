# SPDX-License-Identifier: MIT
needs='openssl'
cmd() {
	seq 1 100000 >in
	R openssl dgst -sha256 in && R openssl md5 in
	R openssl enc -aes-256-cbc -pbkdf2 -pass pass:x -S 0011223344556677 -in in -out e && R openssl enc -d -aes-256-cbc -pbkdf2 -pass pass:x -S 0011223344556677 -in e | cmp - in
	cksum e
	R openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024 -out key 2>/dev/null
	R openssl req -x509 -key key -subj /CN=test -days 10 -out cert && R openssl x509 -in cert -noout -subject
	R openssl dgst -sha256 -sign key -out sig in && R openssl pkey -in key -pubout -out pub && R openssl dgst -sha256 -verify pub -signature sig in
	R openssl rand -hex 8 | wc -c; R openssl prime 1000003; R openssl nosuch >/dev/null 2>&1
}
