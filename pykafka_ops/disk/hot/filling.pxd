"""filling.py in C: the same names, found by those who cimport them."""

from libc.string cimport memcpy
from pykafka_ops.compiled.raw cimport Room, View

ctypedef long long[::1] Longs
ctypedef int[::1] Integers


cdef inline long long copied(
    View data, long long start, long long size, Room room, long long to
) except -1:
    if size < 1:
        return to
    if not 0 <= start <= data.shape[0] - size or not 0 <= to <= room.shape[0] - size:
        raise IndexError
    memcpy(&room[to], &data[start], size)
    return to + size
