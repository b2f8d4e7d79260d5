# SPDX-License-Identifier: MIT
# One of a pair, see taker.py: publishes, lends and gives.
import os
import sys

import numpy

import tp

assert tp.connected() and tp.self() > 0

# A private array, by name, in place; the other one writes to it.
private = numpy.arange(12, dtype="d").reshape(3, 4)
tp.publish("private", private, "matrix")
# Of the heap: stays after this program's end.
kept = tp.alloc(format="q", shape=(1000,))
numpy.asarray(kept)[:] = numpy.arange(1000)
tp.publish("kept", kept, "numbers", keep=True)
assert not kept.owned
# Read-only stays read-only.
tp.publish("text", b"bytes that nobody writes to", "bytes")
assert {("private", "matrix"), ("kept", "numbers"), ("text", "bytes")} <= {n[:2] for n in tp.names()}

lane = tp.Lane("work", "buffer", 30)
for i in range(50):
    b = tp.alloc(format="i", shape=(i, 3))
    numpy.asarray(b)[:] = i
    lane.send_give(b, 30)
    for use in (lambda: memoryview(b), lambda: lane.send_give(b), lambda: b.address):
        try:
            use()
            sys.exit("a Buffer was used after it had been given away")
        except ValueError as e:
            assert "given away" in str(e)

b = tp.alloc(8, "f")
view = memoryview(b)
try:
    lane.send_give(b)
    sys.exit("a Buffer was given away while a view of it existed")
except BufferError:
    view.release()
lane.send_lend(b, 30)
answers = tp.Channel("answers", "buffer")
tp.publish("ready", bytearray(1), "flag")
with answers.recv(30) as m:
    assert not m.given and bytes(memoryview(m.buffer).cast("B")) == b"seen"
assert numpy.asarray(b).tolist() == [2.5] * 8
assert lane.acknowledged() == 51
assert private[1, 1] == 500.0 and private.sum() == 66 - 5 + 500
tp.unpublish("text")
# Some more that the other one finds after this program's end.
lane.send_give(tp.alloc(4, "b"))
print("maker: ok", flush=True)
if sys.argv[1:] == ["killed"]:
    os.kill(os.getpid(), 9)
