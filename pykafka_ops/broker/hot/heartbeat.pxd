"""What heartbeat.py is where it is compiled."""

cimport cython
cimport pykafka_ops.broker.hot.raw as at
from pykafka_ops.broker.hot.serving cimport Shape


cdef class HeartbeatPath(Shape):
    cdef bytes _after
    cdef bytes _before
    cdef object _group_id
    cdef bytes _head
    cdef object _instance_id
    cdef long long _key
    cdef object _member_id
    cdef long long _place
    cdef object _seen
    cdef long long _size
    cdef object _slot
    cdef object _stable
    cdef bytes _tail
    cdef object _timer
    cdef object _topic
    cdef object _topics

    cdef bint _fits_in(self, at.View room) except -1

    @cython.locals(generation=cython.longlong)
    cdef object answer_in(self, object frame, at.Room room)

    @cython.locals(deadline=cython.double)
    cdef bint _lives(self, long long generation) except -1
