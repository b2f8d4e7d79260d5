# SPDX-License-Identifier: MIT
"""A guest of the party (see party.c) in Python, with nothing but the C calls: party.py LIBTP NAME"""
import ctypes as c
import sys
import threading

libtp = c.CDLL(sys.argv[1])
name = sys.argv[2]
SOON = c.c_int64(30 * 10**9)
LETTERS, COUNTS = 400, 5000


class Mutex(c.Structure):
    _fields_ = [('word', c.c_uint32), ('state', c.c_uint32), ('holder', c.c_uint64)]


class Barrier(c.Structure):
    _fields_ = [('state', c.c_uint64), ('count', c.c_uint32), ('reserved', c.c_uint32), ('program', c.c_uint32 * 60)]


class Party(c.Structure):
    _fields_ = [('mutex', Mutex), ('barrier', Barrier), ('counter', c.c_uint64), ('threads', c.c_uint64)]


class Letter(c.Structure):
    pass


Letter._fields_ = [('page', c.POINTER(Letter)), ('text', c.POINTER(c.c_char)), ('length', c.c_uint64), ('number', c.c_uint64),
                   ('sender', c.c_char * 32)]


class Message(c.Structure):
    _fields_ = [('ptr', c.c_void_p), ('id', c.c_uint64), ('given', c.c_uint32), ('repeated', c.c_uint32), ('sender', c.c_uint64)]


class Name(c.Structure):
    _fields_ = [('ptr', c.c_void_p), ('owner', c.c_uint64), ('generation', c.c_uint64), ('flags', c.c_uint32),
                ('alive', c.c_uint32), ('handle', c.c_uint64 * 2), ('name', c.c_char * 64), ('type', c.c_char * 64),
                ('reserved', c.c_uint64 * 4)]


class Str(c.Structure):
    _fields_ = [('data', c.c_char_p), ('len', c.c_size_t), ('local', c.c_char * 16)]


for call in ('tp_malloc', 'tp_calloc', 'tp_chan_destroy', 'tp_lane_close'):
    getattr(libtp, call).restype = c.c_void_p
libtp.tp_why.restype = c.c_char_p


def check(result, least=0):
    if result < least:
        raise OSError(-result, libtp.tp_why().decode())
    return result


def length(number):
    return 1 + (number * 7919) % (700 if number % 50 else 40000)


def text(sender, number):
    start = (sender[0] + number * 3) % 26
    alphabet = bytes(range(ord('a'), ord('z') + 1))
    return (alphabet * (length(number) // 26 + 2))[start:start + length(number)]


def page(number):
    letter = c.cast(libtp.tp_calloc(c.c_size_t(1), c.c_size_t(c.sizeof(Letter))), c.POINTER(Letter))
    letter[0].sender = name.encode()
    letter[0].number = number
    letter[0].length = length(number)
    letter[0].text = c.cast(libtp.tp_malloc(c.c_size_t(length(number))), c.POINTER(c.c_char))
    c.memmove(letter[0].text, text(name.encode(), number), length(number))
    return letter


def write(number):
    letter = page(number)
    if number % 3 == 0:
        letter[0].page = page(number + 1)
    return letter


def read(letter):
    while letter:
        content = letter[0]
        assert content.length == length(content.number)
        assert content.text[:content.length] == text(content.sender, content.number)
        # As a number: a pointer object would go on looking into the freed block.
        following = c.cast(c.cast(content.page, c.c_void_p).value, c.POINTER(Letter))
        check(libtp.tp_free(content.text))
        check(libtp.tp_free(letter))
        letter = following


def count(party):
    for i in range(COUNTS):
        check(libtp.tp_mutex_lock(c.byref(party.mutex)))
        party.counter += 1
        party.threads += i == 0
        check(libtp.tp_mutex_unlock(c.byref(party.mutex)))


def correspond():
    chan, lane, message = c.c_void_p(), c.c_void_p(), Message()
    check(libtp.tp_chan_create(b'answers-' + name.encode(), b'letter@1', None, c.byref(chan)))
    check(libtp.tp_chan_open(b'party-letters', b'letter@1', SOON, c.byref(lane)))
    for number in range(LETTERS):
        check(libtp.tp_lane_send_give(lane, write(number), SOON))
    for number in range(LETTERS):
        check(libtp.tp_chan_recv(chan, SOON, c.byref(message)))
        check(libtp.tp_chan_ack(chan, c.byref(message)))
        read(c.cast(message.ptr, c.POINTER(Letter)))
    libtp.tp_lane_close(lane)
    libtp.tp_chan_destroy(chan)


def cards():
    cursor, entry, n = (c.c_uint64 * 20)(), Name(), 0
    while check(libtp.tp_name_next(cursor, c.byref(entry))) == 1:
        if entry.name.startswith(b'guest-'):
            assert entry.name[6:] in c.cast(entry.ptr, c.POINTER(Str))[0].data
            n += 1
    return n


entry = Name()
check(libtp.tp_wait(b'party', b'party@1', SOON, c.byref(entry)))
party = c.cast(entry.ptr, c.POINTER(Party))[0]
thread = threading.Thread(target=count, args=(party,))
thread.start()
count(party)
card = libtp.tp_malloc(c.c_size_t(c.sizeof(Str)))
libtp.tp_str_init(c.c_void_p(card))
check(libtp.tp_str_set(c.c_void_p(card), b'my name, which is too long for a short string, is ' + name.encode()))
check(libtp.tp_publish(b'guest-' + name.encode(), c.c_void_p(card), b'card@1', 1))
correspond()
thread.join()
check(libtp.tp_barrier_wait(c.byref(party.barrier), SOON))
print(name, 'saw', cards(), 'cards', flush=True)
check(libtp.tp_barrier_wait(c.byref(party.barrier), SOON))
