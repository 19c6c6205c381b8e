"""What heartbeat.py is where it is compiled."""

cimport cython
cimport pykafka_ops.broker.hot.raw as at
from pykafka_ops.broker.hot.serving cimport Shape


cdef class GenerationShape(Shape):
    cdef bytes _head
    cdef long long _place
    cdef long long _size
    cdef bytes _tail

    cdef bint _fits_in(self, at.View room) except -1


cdef class HeartbeatPath(GenerationShape):
    cdef bytes _after
    cdef bytes _before
    cdef object _group_id
    cdef object _instance_id
    cdef object _member_id
    cdef object _seen
    cdef object _slot
    cdef object _stable
    cdef object _timer
    cdef object _topic
    cdef object _topics

    @cython.locals(generation=cython.longlong)
    cdef object answer_in(self, object data, long long start, at.Room room)

    @cython.locals(deadline=cython.double)
    cdef bint _lives(self, long long generation) except -1
