# SPDX-License-Identifier: MIT
# Drives another program over a pseudo terminal.
needs='expect bc'
cmd() {
	R expect -c 'log_user 0; spawn bc -q; expect_after timeout { exit 3 }
		send "6*7\r"; expect -re "\n42\r"; puts "answered"; send "quit\r"; expect eof; lassign [wait] p s o c; puts "status $c"; exit 12'
}
