"""What frames.py is where it is compiled."""

cimport cython
cimport pykafka_ops.broker.hot.raw as at
from pykafka_ops.broker.hot.serving cimport ChannelHead, Serving, SocketHead


cdef class FramesHead(ChannelHead):
    cdef public long long charged
    cdef public object exchange
    cdef public object large
    cdef public long long least_frame
    cdef public long long most_frame
    cdef public object pool
    cdef public long long received_bytes
    cdef public bint served
    cdef public Serving serving
    cdef public object turns
    cdef public bint writable

    cdef object take(self, long long nbytes, object data, at.Room room)

    @cython.locals(
        position=cython.longlong, end=cython.longlong, served=cython.longlong,
        look=cython.longlong, size=cython.longlong, start=cython.longlong,
    )
    cdef object cut_in(self, object data, at.Room room)

    @cython.locals(answer=bytes, sock=SocketHead)
    cdef object serve_in(self, object data, long long start, at.Room room)
