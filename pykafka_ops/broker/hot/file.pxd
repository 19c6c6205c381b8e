"""What file.py is where it is compiled."""

cimport cython
cimport pykafka_ops.broker.hot.raw as at


cdef class FileHead:
    cdef public int fd
    cdef public bint used

    @cython.locals(fd=cython.int, size=cython.longlong, done=cython.longlong)
    cdef long long add(self, at.View data) except -1
