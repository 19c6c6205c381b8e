"""raw.py in C: the same names, found by those who cimport them."""

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize, PyBytes_Size
from libc.string cimport memcpy
from pykafka_ops.compiled.raw cimport View, plus, record

cdef extern from "decimal.h" nogil:
    char *pko_decimal(char *to, long long number)
    bint pko_is_ascii(const unsigned char *data, size_t size)

ctypedef (long long, long long, long long, long long, long long) Numbers


cdef inline bint is_ascii(View view, long long at, long long size) except -1:
    if size <= 0:
        return True
    if at < 0 or size > view.shape[0] - at:
        raise IndexError
    return pko_is_ascii(&view[at], size)


cdef inline char *_text(char *to, const char *text, size_t size) noexcept:
    memcpy(to, text, size)
    return to + size


cdef inline char *_part(
    char *to, const char *name, size_t name_size, View view, long long at, long long size
) except NULL:
    to = _text(to, name, name_size)
    return _text(to, <const char *>&view[at], size) if size else to


cdef inline bytes line(
    bytes label, Numbers numbers, bytes names, View view, long long key_at, long long value_at
):
    cdef char[160] head
    cdef char *to = head
    cdef Py_ssize_t label_size = PyBytes_Size(label), names_size = PyBytes_Size(names)
    cdef long long key_size = numbers[2] if key_at >= 0 else -1
    cdef long long value_size = numbers[3] if value_at >= 0 else -1
    cdef long long room
    cdef bytes made
    if (
        label_size > 16
        or (key_size > 0 and key_size > view.shape[0] - key_at)
        or (value_size > 0 and value_size > view.shape[0] - value_at)
    ):
        raise IndexError
    to = pko_decimal(_text(to, b"| offset: ", 10), numbers[0])
    to = _text(_text(to, b" ", 1), PyBytes_AsString(label), label_size)
    to = pko_decimal(_text(to, b": ", 2), numbers[1])
    to = pko_decimal(_text(to, b" keySize: ", 10), numbers[2])
    to = pko_decimal(_text(to, b" valueSize: ", 12), numbers[3])
    to = pko_decimal(_text(to, b" sequence: ", 11), numbers[4])
    to = _text(to, b" headerKeys: [", 14)
    room = (to - head) + names_size + 2
    if key_size >= 0:
        room += 6 + key_size
    if value_size >= 0:
        room += 10 + value_size
    made = PyBytes_FromStringAndSize(NULL, room)
    to = _text(PyBytes_AsString(made), head, to - head)
    to = _text(_text(to, PyBytes_AsString(names), names_size), b"]", 1)
    if key_size >= 0:
        to = _part(to, b" key: ", 6, view, key_at, key_size)
    if value_size >= 0:
        to = _part(to, b" payload: ", 10, view, value_at, value_size)
    _text(to, b"\n", 1)
    return made
