# SPDX-License-Identifier: MIT
needs='/usr/bin/convert /usr/bin/identify'
cmd() {
	R /usr/bin/convert -size 300x200 gradient:red-blue -rotate 30 -blur 0x3 -resize 50% -depth 8 a.ppm && cksum a.ppm
	R /usr/bin/identify -format '%w %h %m\n' a.ppm
	R /usr/bin/convert a.ppm -strip -define png:exclude-chunks=date,time a.png && R /usr/bin/convert a.png -depth 8 b.ppm && cmp a.ppm b.ppm
	R /usr/bin/convert nosuch.png x.png
}
filter() {
	sed 's/ @ error.*//'
}
