# SPDX-License-Identifier: MIT
# An ordinary process beside a group: satellite.py GROUP. It finds what habits of a program leave in the heap, and nothing private.
import errno
import sys

import tp

assert not tp.connected()
tp.attach(sys.argv[1])
assert tp.connected() and tp.self() > 0
try:
    tp.attach(sys.argv[1])
    sys.exit("attached twice")
except OSError as e:
    assert e.errno == errno.EISCONN, e
shared = tp.wait("of the heap", "t", 30)
assert bytes(memoryview(shared)) == b"shared"
memoryview(shared)[0] = ord("S")
try:
    tp.wait("private", "t", 30)
    sys.exit("a pointer into a program's own memory was handed out")
except (OSError, ValueError) as e:
    print("refused:", e, file=sys.stderr)
lane = tp.Lane("to the program", "t", 30)
b = tp.alloc(5)
memoryview(b)[:] = b"hello"
lane.send_give(b, 30)
print("satellite: ok")
