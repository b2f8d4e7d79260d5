# SPDX-License-Identifier: MIT
needs='vim'
cmd() {
	seq 1 2000 >in
	printf '%%s/7/seven/g\n2,5d\ng/9$/normal Ax\ncall append(0, [string(len(range(5))), system("echo shell")])\nw! out\nqa!\n' | R vim -u NONE -n -es in
	s=$?
	cksum out && head -4 out
	R vim -u NONE -n -es -c 'verbose echo 6*7' -c 'cq 5' </dev/null
	echo $? $s
}
