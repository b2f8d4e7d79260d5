# SPDX-License-Identifier: MIT
needs='gdb gcc'
setup() {
	printf 'int twice(int n)\n{\n\tint r = n * 2;\n\treturn r;\n}\n\nint main(void)\n{\n\treturn twice(21);\n}\n' >a.c
	gcc -g -O0 -o prog a.c
}
cmd() {
	R gdb -q -nx -batch -iex 'set debuginfod enabled off' -ex 'break twice' -ex run -ex bt -ex next -ex 'print r' -ex finish -ex continue ./prog
}
filter() {
	grep -vE 'libthread_db|warning: Error disabling|warning: (File|could not)' | sed -E 's/process [0-9]+/process N/;s/0x[0-9a-f]+/ADDRESS/g'
}
