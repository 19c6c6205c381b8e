"""raw.py in C: the same names, found by those who cimport them."""

from cpython.exc cimport PyErr_SetFromErrno
from libc.errno cimport EINTR, errno
from libc.stdint cimport int32_t
from pykafka_ops.compiled.raw cimport PyBytes_AsString, PyBytes_FromStringAndSize, PyBytes_Size, Room

cdef extern from "sockets.h" nogil:
    int pko_wait(int epoll, int32_t *pairs, int most)
    long long pko_tick()
    Py_ssize_t pko_receive(int fd, void *room, size_t size)
    Py_ssize_t pko_send(int fd, const void *data, size_t size)

cdef enum:
    IN = 1
    OUT = 4
    PIECE = 65536
    MUCH = 65536


cdef inline object events(int most):
    return bytearray(8 * most)


cdef inline int wait(object epoll, int fd, Room found, int most) except -1:
    cdef int count
    if found.shape[0] < 8 * most or most < 1:
        raise IndexError
    count = pko_wait(fd, <int32_t *>&found[0], most)
    if count < 0:
        if errno == EINTR:
            return 0
        PyErr_SetFromErrno(OSError)
    return count


cdef inline long long tick() noexcept:
    return pko_tick()


cdef inline (int, int) event(Room found, Py_ssize_t number) except *:
    cdef int32_t *pair
    if number < 0 or 8 * number + 8 > found.shape[0]:
        raise IndexError
    pair = <int32_t *>&found[8 * number]
    return pair[0], pair[1]


cdef inline Py_ssize_t receive(int fd, Room room) except -2:
    cdef Py_ssize_t size = room.shape[0]
    cdef Py_ssize_t done
    cdef void *first
    if not size:
        return -1
    first = &room[0]
    done = pko_receive(fd, first, size)
    if done == -2:
        PyErr_SetFromErrno(OSError)
    return done


cdef inline Py_ssize_t send(int fd, object data) except -2:
    """Others may run meanwhile if it is much; letting them costs more than sending a little."""
    cdef Py_ssize_t size = PyBytes_Size(data)
    cdef Py_ssize_t done
    cdef const char *first = PyBytes_AsString(data)
    if size < MUCH:
        done = pko_send(fd, first, size)
    else:
        with nogil:
            done = pko_send(fd, first, size)
    if done == -2:
        PyErr_SetFromErrno(OSError)
    return done
