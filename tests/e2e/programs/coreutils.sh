# SPDX-License-Identifier: MIT
needs='dd od split join factor'
cmd() {
	R dd if=/dev/zero of=z bs=64K count=100 status=none && R cksum z && R sha256sum z && R b2sum z
	seq 1000 | R split -l 100 - part. && R wc -l part.?? && R cat part.?? | R md5sum
	R join <(seq 10) <(seq 5 2 20) | R paste -sd, | R tr , +
	R factor 1234567890 99999999977 | R od -c | R tail -2
	R seq 1 3 30 | R tac | R nl | R cut -c1-9 | R fold -w 4
	R env -i A=1 B=2 printenv; R date -u -d @0 +%F; R stat -c %s z; R touch -d @5 t && R ls -l --time-style=+%s t
	R timeout 0.2 sleep 5; R tsort <<<'a b b c'; R expr 7 '*' 6; R numfmt --to=iec 1234567; R nice -n 3 nice
	R false
}
