# SPDX-License-Identifier: MIT
needs='tar gzip xz'
setup() {
	mkdir -p tree/sub && seq 50000 >tree/a && seq 1000 >tree/sub/b && ln -s a tree/link && truncate -s 5M tree/sparse
}
cmd() {
	local opt='--sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner'
	R tar $opt -cf t.tar tree && cksum <t.tar
	R tar $opt -czf t.tgz tree && R tar -tzvf t.tgz
	R tar $opt -S -cJf t.txz tree && mkdir x && R tar -C x -xJf t.txz && diff -r tree x/tree && du -k x/tree/sparse
	R tar -xf nosuch.tar
}
