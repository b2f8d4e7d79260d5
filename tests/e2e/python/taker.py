# SPDX-License-Identifier: MIT
# The other of the pair: finds, waits, receives.
import ctypes
import errno
import select
import sys
import time

import numpy

import tp

work = tp.Channel("work", "buffer", 8)
matrix = tp.wait("private", "matrix", 30)
a = numpy.asarray(matrix)
assert a.shape == (3, 4) and a.dtype == "d" and a.tolist() == numpy.arange(12.0).reshape(3, 4).tolist()
a[1, 1] = 500
numbers = tp.wait("kept", None, 30)
assert numbers.type == "numbers" and numpy.asarray(numbers).sum() == 499500
text = tp.wait("text", "bytes", 30)
assert memoryview(text).readonly and bytes(memoryview(text)) == b"bytes that nobody writes to"
# The same memory as plain bytes.
address = ctypes.cast(text.buffer.data_address, ctypes.c_char_p)
assert address.value.startswith(b"bytes that")

try:
    tp.lookup("private", "other type")
    sys.exit("a wrong type was not noticed")
except OSError as e:
    assert e.errno == errno.EPROTOTYPE and "matrix" in str(e), e
try:
    tp.wait("nobody publishes this", "x", 0.3)
    sys.exit("waited for nothing and got something")
except TimeoutError:
    pass

# By poll, as a server would.
poll = select.poll()
poll.register(work.fileno(), select.POLLIN)
got = 0
while got < 50:
    try:
        m = work.recv(0)
    except BlockingIOError:
        if work.arm():
            assert poll.poll(30000)
        continue
    assert m.given and not m.repeated and m.sender == matrix.owner
    i = numpy.asarray(m)
    assert i.shape == (got, 3) and (i == got).all()
    del i
    if got % 2:
        m.ack()
        assert m.buffer.owned
    else:
        with m:
            pass
    got += 1

m = work.recv(30)
assert not m.given and not m.buffer.owned
numpy.asarray(m.buffer)[:] = 2.5
m.ack()
lane = tp.Lane("answers", "buffer", 30)
tp.wait("ready", "flag", 30)
answer = tp.alloc(4)
memoryview(answer)[:] = b"seen"
lane.send_lend(answer, 30)

last = work.recv(30)
last.ack()
assert last.buffer.nbytes == 4

# The other one ends, or is killed: its private memory is gone, and that is told; what it kept stays.
deadline = time.monotonic() + 30
while True:
    try:
        matrix.check()
    except OSError as e:
        assert e.errno in (errno.EOWNERDEAD, errno.ESTALE), e
        break
    assert time.monotonic() < deadline
    time.sleep(0.01)
try:
    work.recv(30)
    sys.exit("a message from nobody")
except OSError as e:
    assert e.errno in (errno.EPIPE, errno.EOWNERDEAD), e
again = tp.lookup("kept", "numbers")
assert numpy.asarray(again).sum() == 499500
work.close()
print("taker: ok")
