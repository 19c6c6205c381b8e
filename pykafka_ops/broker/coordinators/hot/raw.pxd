"""raw.py in C: the same names, found by those who cimport them."""

from pykafka_ops.broker.hot.raw cimport HEAD_SIZE, monotonic_clock, wall_clock
from pykafka_ops.compiled.raw cimport *
from pykafka_ops.compiled.raw cimport _int64, _put32


cdef inline tuple pattern(bytes zeros, bytes mask):
    return zeros, mask


cdef inline bint fits(View view, tuple wanted) except -1:
    cdef object zeros = wanted[0]
    cdef object mask = wanted[1]
    cdef const unsigned char *wants
    cdef const unsigned char *counts
    cdef const unsigned char *has
    cdef unsigned char differs = 0
    cdef Py_ssize_t size = view.shape[0]
    cdef Py_ssize_t n
    if size == 0 or PyBytes_Size(zeros) != size or PyBytes_Size(mask) != size:
        return False
    wants = <const unsigned char *>PyBytes_AsString(zeros)
    counts = <const unsigned char *>PyBytes_AsString(mask)
    has = &view[0]
    for n in range(size):
        differs |= (has[n] & counts[n]) ^ wants[n]
    return differs == 0


cdef inline long long long_at(View view, Py_ssize_t place) except? -1:
    return _int64(view, place)


cdef inline int put_time(Room room, Py_ssize_t place, long long time) except -1:
    _put32(room, place, <unsigned long long>time >> 32)
    _put32(room, place + 4, time & 0xFFFFFFFF)
    return 0


cdef inline int put_value(Room room, Py_ssize_t place, long long offset, long long epoch) except -1:
    put_time(room, place, offset)
    _put32(room, place + 8, epoch & 0xFFFFFFFF)
    return 0


cdef inline int put_times(Room room, long long time) except -1:
    put_time(room, 27, time)
    put_time(room, 35, time)
    return 0


cdef inline int put_checksum(Room room) except -1:
    if room.shape[0] <= CRC_COVERS:
        raise IndexError
    _put32(room, 17, pko_checksum(&room[CRC_COVERS], room.shape[0] - CRC_COVERS))
    return 0


cdef inline bytes answered(bytes reply, View view):
    cdef Py_ssize_t size = PyBytes_Size(reply)
    cdef object made
    cdef unsigned char *to
    cdef int n
    if size < 8 or view.shape[0] < 8:
        raise IndexError
    made = PyBytes_FromStringAndSize(PyBytes_AsString(reply), size)
    to = <unsigned char *>PyBytes_AsString(made)
    for n in range(4, 8):
        to[n] = view[n]
    return made
