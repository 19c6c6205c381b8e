"""raw.py in C: the same names, found by those who cimport them."""

from cpython.buffer cimport Py_buffer, PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.string cimport memcmp

cdef extern from "crc32c.h" nogil:
    unsigned int pko_checksum(const unsigned char *at, size_t size)

cdef extern from "records.h" nogil:
    ctypedef struct pko_record:
        long long end, time, delta, key_at, key_size, value_at, value_size, headers
    pko_record pko_read_record(const unsigned char *data, long long total, long long at)
    long long pko_plus(long long one, long long other)

cdef extern from "Python.h":
    char *PyBytes_AsString(object data) except NULL
    Py_ssize_t PyBytes_Size(object data) except -1
    object PyBytes_FromStringAndSize(const char *data, Py_ssize_t size)

cdef enum:
    COMPILED = 1
    HEADER_SIZE = 61
    CRC_COVERS = 21
    RECORDS_AT = 40
    CODEC = 7
    TRANSACTIONAL = 0x10

ctypedef const unsigned char[::1] View
ctypedef unsigned char[::1] Room
ctypedef (
    long long, long long, long long, long long, long long, long long, long long,
    long long, long long, long long, long long, long long, long long
) Fields
ctypedef (
    long long, long long, long long, long long, long long, long long, long long, long long
) Record


cdef inline long long _int16(View view, Py_ssize_t at) except? -1:
    return <short>(view[at] << 8 | view[at + 1])


cdef inline unsigned int _uint32(View view, Py_ssize_t at) except? 1:
    return (
        <unsigned int>view[at] << 24 | <unsigned int>view[at + 1] << 16
        | <unsigned int>view[at + 2] << 8 | view[at + 3]
    )


cdef inline long long _int32(View view, Py_ssize_t at) except? -1:
    return <int>_uint32(view, at)


cdef inline long long _int64(View view, Py_ssize_t at) except? -1:
    return <long long>(<unsigned long long>_uint32(view, at) << 32 | _uint32(view, at + 4))


cdef inline int _put32(Room view, Py_ssize_t at, unsigned int number) except -1:
    view[at] = number >> 24
    view[at + 1] = number >> 16 & 255
    view[at + 2] = number >> 8 & 255
    view[at + 3] = number & 255
    return 0


cdef inline Fields header(View view) except *:
    return (
        _int64(view, 0), _int32(view, 8), _int32(view, 12), <signed char>view[16],
        _uint32(view, 17), _int16(view, 21), _int32(view, 23), _int64(view, 27),
        _int64(view, 35), _int64(view, 43), _int16(view, 51), _int32(view, 53),
        _int32(view, 57),
    )


cdef inline (long long, long long) pair(View view, Py_ssize_t at) except *:
    return _int32(view, at), _int32(view, at + 4)


cdef inline int stamp(
    Room view, unsigned long long first, unsigned int length, unsigned int leader_epoch
) except -1:
    _put32(view, 0, first >> 32)
    _put32(view, 4, first & 0xFFFFFFFF)
    _put32(view, 8, length)
    _put32(view, 12, leader_epoch)
    return 0


cdef inline View covered(View view):
    return view[CRC_COVERS:]


cdef inline long long checksum(View view):
    return pko_checksum(&view[0], view.shape[0]) if view.shape[0] else 0


cdef inline long long checksum_of(object data) except -1:
    cdef Py_buffer view
    cdef long long found
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    found = pko_checksum(<const unsigned char *>view.buf, view.len) if view.len else 0
    PyBuffer_Release(&view)
    return found


cdef inline bint holds(View view, Py_ssize_t place, object wanted) except -1:
    cdef Py_ssize_t size = PyBytes_Size(wanted)
    if place < 0 or size > view.shape[0] - place:
        return False
    return size == 0 or memcmp(&view[place], PyBytes_AsString(wanted), size) == 0


cdef inline long long length(View view, Py_ssize_t place) except? -1:
    return _int32(view, place)


cdef inline Record record(View view, long long place) noexcept:
    cdef pko_record found
    if not view.shape[0]:
        return -1, 0, 0, 0, 0, 0, 0, 0
    found = pko_read_record(&view[0], view.shape[0], place)
    return (
        found.end, found.time, found.delta, found.key_at, found.key_size, found.value_at,
        found.value_size, found.headers,
    )


cdef inline long long plus(long long one, long long other) noexcept:
    return pko_plus(one, other)


cdef inline bytes part(View view, long long place, long long size):
    if size <= 0:
        return b""
    if place < 0 or size > view.shape[0] - place:
        raise IndexError
    return PyBytes_FromStringAndSize(<const char *>&view[place], size)
