"""What produce.py is where it is compiled."""

cimport cython
cimport pykafka_ops.broker.hot.raw as at
from pykafka_ops.broker.hot.append cimport is_due, is_usual, settle, write
from pykafka_ops.broker.hot.heads cimport (
    LogHead, PartitionHead, SegmentHead, TailHead, WakeHead
)
from pykafka_ops.broker.hot.reply cimport ProduceReply
from pykafka_ops.broker.hot.serving cimport Shape


cdef class TopicPath(Shape):
    cdef object _clock
    cdef bint _has_id
    cdef dict _known
    cdef long long _most_codec
    cdef WakeHead _wake
    cdef bint _wall
    cdef readonly long long acks

    @cython.locals(
        partition=PartitionHead, log=LogHead, tail=TailHead, active=SegmentHead,
        epoch=cython.longlong, fields=at.Fields, flags=cython.longlong, position=cython.longlong,
        first=cython.longlong, now=cython.longlong,
    )
    cdef (long long, long long, long long, long long) put(
        self, long long index, object data, long long start, at.Room room
    ) except *

    @cython.locals(partition=PartitionHead)
    cdef PartitionHead _found(self, long long index)



cdef class ProducePath(TopicPath):
    cdef long long _end
    cdef bint _flexible
    cdef bytes _head
    cdef ProduceReply _reply

    @cython.locals(
        correlation_id=cython.longlong, index=cython.longlong, first=cython.longlong, answer=bytes,
        end=cython.longlong, done=(cython.longlong, cython.longlong, cython.longlong, cython.longlong),
    )
    cdef object answer_in(self, object data, long long start, at.Room room)

    @cython.locals(
        place=cython.longlong, size=cython.longlong, key=cython.longlong,
        correlation_id=cython.longlong, index=cython.longlong, length=cython.longlong,
        start=cython.longlong,
    )
    cdef (long long, long long, long long, long long) _find(self, at.View frame) except *


@cython.locals(number=cython.longlong, shift=cython.int, byte=cython.longlong)
cpdef (long long, long long) length_at(at.View frame, long long place) except *
