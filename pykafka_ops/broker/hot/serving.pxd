"""What serving.py is where it is compiled."""

cimport cython
cimport pykafka_ops.broker.hot.raw as at
from pykafka_ops.broker.hot.deferred cimport Deferred


cdef class CountHead:
    cdef public long long requests
    cdef public long long sure


cdef class QuotasHead:
    cdef public long long version


cdef class SocketHead:
    cdef public bint closing
    cdef public bint corked
    cdef public bytes held


cdef class ChannelHead:
    cdef public bint busy
    cdef public bint closing
    cdef public bint paused_reading
    cdef public SocketHead socket
    cdef public bytearray tail


cdef class Shape:
    cdef public Shape after
    cdef public long long codes
    cdef public object context
    cdef public CountHead count
    cdef public long long held
    cdef public long long key

    cdef object answer_in(self, object data, long long start, at.Room room)


cdef class Serving:
    cdef public Shape asked
    cdef public object channel
    cdef public long long correlation_id
    cdef public bytearray due
    cdef public Shape first
    cdef public list observers
    cdef public QuotasHead quotas
    cdef public object waiting

    @cython.locals(
        quotas=QuotasHead, key=cython.longlong, shape=Shape, count=CountHead,
    )
    cdef bytes serve_in(self, object data, long long start, at.Room room)

    @cython.locals(channel=ChannelHead)
    cdef bint wait(self, Deferred promise) except -1

    @cython.locals(channel=ChannelHead, sock=SocketHead)
    cpdef late(self, object answer)

    @cython.locals(due=bytearray, key=cython.longlong, left=cython.longlong)
    cdef bint is_timed(self, at.View room) except -1
