"""What poller.py is where it is compiled."""

cimport cython
cimport pykafka_ops.broker.runtime.sockets.plain.raw as at
from pykafka_ops.broker.hot.frames cimport FramesHead
from pykafka_ops.broker.runtime.sockets.plain.transport cimport PlainTransport, PoolHead


cdef class SocketPoller:
    cdef list _answered
    cdef bint _closing
    cdef long long _count
    cdef object _epoll
    cdef at.Room _events
    cdef int _fd
    cdef object _loop
    cdef list _open
    cdef PoolHead _pool
    cdef at.Room _room
    cdef object _shared

    @cython.locals(
        begun=cython.longlong, count=cython.int, number=cython.int, fd=cython.int, flags=cython.int,
        transport=PlainTransport,
    )
    cpdef ready(self)

    @cython.locals(made=PlainTransport, fd=cython.int)
    cpdef add(self, object sock, object address, object protocol)

    cdef _serve(self, PlainTransport transport, int flags)

    @cython.locals(
        protocol=FramesHead, _=cython.int, room=at.Room, count=cython.longlong,
    )
    cdef _read(self, PlainTransport transport)
