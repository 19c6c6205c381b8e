"""masked.py in C: the same names, found by those who cimport them."""

from libc.string cimport memcpy
from pykafka_ops.compiled.raw cimport PyBytes_AsString, PyBytes_Size, View


cdef inline object pattern(object data):
    return data


cdef inline object under(object data, object mask):
    return bytes([one & other for one, other in zip(data, mask, strict=True)])


cdef inline bint _same(
    const unsigned char *data, const unsigned char *mask, const unsigned char *expected,
    Py_ssize_t size
) noexcept:
    """Eight bytes at a time, and what is left one by one."""
    cdef unsigned long long bits, under, wanted
    cdef Py_ssize_t place = 0
    while size - place >= 8:
        memcpy(&bits, data + place, 8)
        memcpy(&under, mask + place, 8)
        memcpy(&wanted, expected + place, 8)
        if bits & under != wanted:
            return False
        place += 8
    while place < size:
        if data[place] & mask[place] != expected[place]:
            return False
        place += 1
    return True


cdef inline bint fits(
    View data, Py_ssize_t place, Py_ssize_t size, object mask, object expected
) except -1:
    if place < 0 or size <= 0 or size > data.shape[0] - place:
        raise IndexError
    if PyBytes_Size(mask) != size or PyBytes_Size(expected) != size:
        raise IndexError
    return _same(
        &data[place], <const unsigned char *>PyBytes_AsString(mask),
        <const unsigned char *>PyBytes_AsString(expected), size
    )
