# SPDX-License-Identifier: MIT
# Outside a group every call says so at once, and what is wrong with arguments is told.
import errno

import tp


def raises(kind, call, number=None):
    try:
        call()
    except kind as e:
        assert number is None or e.errno == number, e
        return str(e)
    raise AssertionError(f"no {kind.__name__}")


assert tp.connected() is False
text = raises(OSError, tp.self, errno.ENOTCONN)
assert "no group" in text, text
raises(OSError, lambda: tp.alloc(10), errno.ENOTCONN)
raises(OSError, lambda: tp.lookup("a", "b"), errno.ENOTCONN)
raises(OSError, lambda: tp.wait("a", "b", 5), errno.ENOTCONN)
raises(OSError, lambda: tp.publish("a", bytearray(3), "b"), errno.ENOTCONN)
raises(OSError, lambda: tp.unpublish("a"), errno.ENOTCONN)
raises(OSError, lambda: tp.Channel("a", "b"), errno.ENOTCONN)
raises(OSError, lambda: tp.Lane("a", "b", 5), errno.ENOTCONN)
raises(OSError, tp.names, errno.ENOTCONN)
raises(ValueError, lambda: tp.wait("a", "b", -1))
raises(ValueError, lambda: tp.alloc())
raises(ValueError, lambda: tp.alloc(3, shape=(3,)))
raises(ValueError, lambda: tp.alloc(3, "z"))
raises(ValueError, lambda: tp.alloc(format="d", shape=(1,) * 9))
raises(ValueError, lambda: tp.alloc(format="d", shape=(1 << 62, 4)))
raises(TypeError, tp.Buffer)
raises(TypeError, tp.Message)
print("alone: ok")
