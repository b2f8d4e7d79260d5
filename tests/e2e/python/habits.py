# SPDX-License-Identifier: MIT
# One program: nothing leaks, waiting can be interrupted and lets other threads run, forks are outside, damage is noticed.
import ctypes
import errno
import gc
import os
import signal
import sys
import threading
import time

import tp


def raises(kind, call, number=None):
    try:
        call()
    except kind as e:
        assert number is None or e.errno == number, e
        return str(e)
    raise AssertionError(f"no {kind.__name__}")


def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096


def use(rounds):
    chan = tp.Channel("self", "buffer")
    lane = tp.Lane("self", "buffer", 5)
    for i in range(rounds):
        b = tp.alloc(100000)
        memoryview(b)[0] = 1
        tp.publish("leak", b, "t", replace=True)
        memoryview(tp.lookup("leak", "t"))[99999] = 2
        tp.unpublish("leak")
        lane.send_give(tp.alloc(50000, "B"))
        lane.send_lend(b)
        chan.recv(5).ack()
        with chan.recv(5) as m:
            assert m.buffer.nbytes == 100000
        raises(OSError, lambda: tp.lookup("leak", "t"), errno.ENOENT)
    lane.close()
    chan.close()


use(200)
gc.collect()
blocks, memory = sys.getallocatedblocks(), resident()
use(3000)
gc.collect()
assert sys.getallocatedblocks() - blocks < 300, sys.getallocatedblocks() - blocks
assert resident() - memory < 64 << 20, resident() - memory

# What was lent outlives its lane, until the receiver is done with it.
chan = tp.Channel("outlived", "buffer")
for close in (False, True):
    lane = tp.Lane("outlived", "buffer", 5)
    b = tp.alloc(1000, "B")
    memoryview(b)[:4] = b"good"
    lane.send_lend(b)
    if close:
        lane.close()
    del b, lane
    others = [tp.alloc(1000, "B") for _ in range(100)]
    with chan.recv(5) as m:
        assert bytes(memoryview(m.buffer)[:4]) == b"good"
    del m, others
    raises(BrokenPipeError, lambda: chan.recv(5))
chan.close()

# Waiting: other threads run, and a signal handler's exception ends it.
done = threading.Event()
result = []


def wait_in_thread():
    result.append(tp.wait("later", "t", 30))
    done.set()


threading.Thread(target=wait_in_thread, daemon=True).start()
time.sleep(0.2)
assert not done.is_set()
tp.publish("later", bytearray(b"x"), "t")
assert done.wait(30) and bytes(memoryview(result[0])) == b"x"


class Alarm(Exception):
    pass


def on_alarm(signum, frame):
    raise Alarm


signal.signal(signal.SIGALRM, on_alarm)
signal.setitimer(signal.ITIMER_REAL, 0.3)
raises(Alarm, lambda: tp.wait("never", "t"))
chan = tp.Channel("idle", "t")
signal.setitimer(signal.ITIMER_REAL, 0.3)
raises(Alarm, chan.recv)
raises(TimeoutError, lambda: chan.recv(0.05))

# Each failure has words of its own, not those of the one before.
assert "not a" in raises(OSError, lambda: tp.Lane("idle", "another type", 0), errno.EPROTOTYPE)
assert "no message" in raises(BlockingIOError, lambda: chan.recv(0))

# Two threads in one Channel.
blocked = threading.Thread(target=lambda: raises(TimeoutError, lambda: chan.recv(1.5)))
blocked.start()
time.sleep(0.3)
assert "another thread" in raises(RuntimeError, lambda: chan.recv(0))
blocked.join()

# A forked child is in no group. What it drops is its parent's still.
b = tp.alloc(10)
pid = os.fork()
if pid == 0:
    try:
        raises(OSError, tp.self, errno.ENOTCONN)
        raises(OSError, lambda: tp.lookup("later", "t"), errno.ENOTCONN)
        del b
        os._exit(0)
    except BaseException as e:
        print(e)
        os._exit(1)
assert os.waitpid(pid, 0)[1] == 0
memoryview(b)[0] = 1

# Somebody has written over what describes a Buffer.
class Struct(ctypes.Structure):
    _fields_ = [("magic", ctypes.c_uint32), ("flags", ctypes.c_uint32), ("data", ctypes.c_void_p), ("size", ctypes.c_uint64),
                ("itemsize", ctypes.c_uint32), ("dimensions", ctypes.c_uint32), ("format", ctypes.c_char * 8),
                ("shape", ctypes.c_uint64 * 8)]


b = tp.alloc(10, "d")
tp.publish("damaged", b, "t")
for field, value in (("magic", 1), ("size", 81), ("itemsize", 0), ("itemsize", 4), ("dimensions", 9), ("format", b"zz"),
                     ("data", 0x1234), ("data", (1 << 64) - 8), ("data", 0x7fff00000000)):
    s = Struct.from_address(b.address)
    good = getattr(s, field)
    setattr(s, field, value)
    raises(ValueError, lambda: tp.lookup("damaged", "t"))
    setattr(s, field, good)
s.shape[0] = 1 << 61
raises(ValueError, lambda: tp.lookup("damaged", "t"))
s.shape[0] = 10
assert tp.lookup("damaged", "t").buffer.shape == (10,)
raises(ValueError, lambda: tp.lookup("damaged", "t", nbytes=(1 << 62)))
assert tp.lookup("damaged", "t", nbytes=8).buffer.nbytes == 8

raises(OSError, lambda: tp.publish("x" * 64, b, "t"), errno.EINVAL)
raises(OSError, lambda: tp.publish("a\nb", b, "t"), errno.EINVAL)
raises(OSError, lambda: tp.unpublish("never"), errno.ENOENT)
raises(OSError, lambda: tp.alloc(1 << 45), errno.ENOSPC)
raises(ValueError, lambda: tp.publish("k", bytearray(3), "t", keep=True))
print("habits: ok")
