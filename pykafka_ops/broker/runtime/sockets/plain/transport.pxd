"""What transport.py is where it is compiled."""

cimport cython
cimport pykafka_ops.broker.runtime.sockets.plain.raw as at
from pykafka_ops.broker.hot.frames cimport FramesHead
from pykafka_ops.broker.hot.serving cimport SocketHead


cdef class PoolHead:
    cdef public long long next_size


cdef class PlainTransport(SocketHead):
    cdef object _epoll
    cdef object _forget
    cdef long long _high
    cdef bytearray _left
    cdef object _loop
    cdef bint _paused
    cdef object _peer
    cdef object _socket
    cdef int _watched
    cdef public bint behind
    cdef public bint ended
    cdef public int fd
    cdef public FramesHead protocol
    cdef public bint reads

    @cython.locals(wanted=cython.int, watched=cython.int)
    cdef watch(self)
    cdef uncork(self)
    @cython.locals(held=bytes)
    cdef _let_out(self)
    @cython.locals(done=cython.longlong)
    cdef _send(self, bytes data)
