# SPDX-License-Identifier: MIT
needs='nasm ld objdump readelf nm ar strip'
setup() {
	printf 'global _start\nsection .data\nm: db "raw",10\nsection .text\n_start: mov eax,1\nmov edi,1\nmov rsi,m\nmov edx,4\nsyscall\nmov eax,60\nmov edi,31\nsyscall\n' >a.asm
}
cmd() {
	R nasm -f elf64 -o a.o a.asm && R ld -o raw a.o && R objdump -d raw | cksum && R nm raw && R readelf -hl raw | cksum
	R ./raw
	echo $?
	R ar rcD l.a a.o && R ar t l.a && R strip raw && R size raw
	R ld -o x nosuch.o
}
