"""raw.py in C: the same names, found by those who cimport them."""

from cpython.exc cimport PyErr_CheckSignals, PyErr_SetFromErrno
from libc.errno cimport EINTR, errno
from posix.time cimport CLOCK_MONOTONIC, CLOCK_REALTIME, clock_gettime, timespec
from posix.unistd cimport SEEK_CUR, lseek
from posix.unistd cimport write as c_write
from pykafka_ops.compiled.raw cimport *

cdef enum:
    REFUSED = 0x28
    MOST_DELTA = 16384
    MAX_SEQUENCE = 0x7FFFFFFF
    WINDOW = 5
    MAX_RELATIVE = 0x7FFFFFFF
    UNKNOWN = -2
    PLACES = 256
    LOOK = 16
    ALL = -1
    HEAD_SIZE = 8
    PARTITION_SIZE = 8
    NO_TAGS = 3
    CREATE_TIME = -1
    FEW = 65536


cdef inline long long write(int fd, View data, Py_ssize_t start) except -1:
    """Others may run meanwhile if it is much; letting them costs more than writing a little."""
    cdef Py_ssize_t size = data.shape[0] - start
    cdef Py_ssize_t done
    cdef const unsigned char *first
    if size <= 0:
        return 0
    first = &data[start]
    while True:
        if size < FEW:
            done = c_write(fd, first, size)
        else:
            with nogil:
                done = c_write(fd, first, size)
        if done >= 0:
            return done
        if errno != EINTR:
            PyErr_SetFromErrno(OSError)
        PyErr_CheckSignals()


cdef inline long long end_of(int fd) except -1:
    cdef long long end = lseek(fd, 0, SEEK_CUR)
    if end < 0:
        PyErr_SetFromErrno(OSError)
    return end


cdef inline int _put(unsigned char *at, unsigned long long number, int size) noexcept:
    while size:
        size -= 1
        at[size] = number & 255
        number >>= 8
    return 0


cdef inline bytes reply(
    object frame, Py_ssize_t place, int numbers, long long correlation_id, long long index,
    long long base_offset, long long log_start
):
    """A copy of the frame with these numbers in it; no append time, no error."""
    cdef Py_ssize_t size = PyBytes_Size(frame)
    cdef object made
    cdef unsigned char *to
    if place < 8 or numbers < 1 or numbers > 3 or place + 6 + 8 * numbers > size:
        raise IndexError
    made = PyBytes_FromStringAndSize(PyBytes_AsString(frame), size)
    to = <unsigned char *>PyBytes_AsString(made)
    _put(to + 4, correlation_id, 4)
    _put(to + place, index, 4)
    _put(to + place + 4, 0, 2)
    _put(to + place + 6, base_offset, 8)
    if numbers > 1:
        _put(to + place + 14, <unsigned long long>CREATE_TIME, 8)
    if numbers == 3:
        _put(to + place + 22, log_start, 8)
    return made


cdef inline bint ends(View view, Py_ssize_t size) except -1:
    return (
        size >= 0 and view.shape[0] == size + NO_TAGS
        and view[size] == 0 and view[size + 1] == 0 and view[size + 2] == 0
    )


cdef inline long long api(View view) except -1:
    return view[1]


cdef inline long long wall_clock() except -1:
    cdef timespec now
    if clock_gettime(CLOCK_REALTIME, &now):
        PyErr_SetFromErrno(OSError)
    return <long long>now.tv_sec * 1000 + now.tv_nsec // 1000000


cdef inline double monotonic_clock() except -1:
    cdef timespec now
    if clock_gettime(CLOCK_MONOTONIC, &now):
        PyErr_SetFromErrno(OSError)
    return <double>(<long long>now.tv_sec * 1000000000 + now.tv_nsec) / 1e6
