# SPDX-License-Identifier: MIT
needs='original-awk'
cmd() {
	R original-awk -F: '{ n[$NF]++ } END { for (k in n) print k, n[k] | "sort"; close("sort"); exit 2 }' /etc/passwd
}
