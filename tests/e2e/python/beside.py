# SPDX-License-Identifier: MIT
# The program that satellite.py talks to.
import tp

b = tp.alloc(6)
memoryview(b)[:] = b"shared"
tp.publish("of the heap", b, "t")
mine = bytearray(b"mine alone")
tp.publish("private", mine, "t")
chan = tp.Channel("to the program", "t")
with chan.recv(30) as m:
    assert bytes(memoryview(m.buffer)) == b"hello"
assert bytes(memoryview(b)) == b"Shared"
print("program: ok")
