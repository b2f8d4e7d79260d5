# SPDX-License-Identifier: MIT
needs='tclsh'
cmd() {
	R tclsh <<'END'
set d [dict create]
for {set i 0} {$i < 20000} {incr i} { dict lappend d [expr {$i % 13}] $i }
puts [dict size $d]; puts [llength [dict get $d 5]]; puts [exec echo from exec]
proc serve {s h p} { puts $s [string toupper [gets $s]]; close $s }
set l [socket -server serve -myaddr 127.0.0.1 0]
set c [socket 127.0.0.1 [lindex [fconfigure $l -sockname] 2]]; fconfigure $c -buffering line; puts $c hello
after 100 {set done 1}; vwait done; puts [gets $c]; puts [expr {2 ** 100}]; exit 8
END
}
