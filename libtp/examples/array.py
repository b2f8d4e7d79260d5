# SPDX-License-Identifier: MIT
"""
An array of numbers, seen by two interpreters and copied by none.

    tprun run -- python3 array.py show ::: ./python array.py make

(Debian's python3 lies at a fixed address, so that a group has room for one: the second is any other one.)
"""
import sys

import tp

if sys.argv[1] == "make":
    numbers = tp.alloc(format="d", shape=(4,))
    view = memoryview(numbers)
    for i in range(4):
        view[i] = i / 2
    view.release()
    tp.Lane("arrays", "buffer", 10).send_give(numbers, 10)
else:
    with tp.Channel("arrays", "buffer").recv(10) as message:
        print(memoryview(message.buffer).tolist())
