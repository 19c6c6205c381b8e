"""What members.py is where it is compiled."""

cimport cython
cimport pykafka_ops.broker.coordinators.hot.raw as at
from pykafka_ops.broker.hot.serving cimport Shape


cdef class GenerationShape(Shape):
    cdef bytes _head
    cdef long long _place
    cdef long long _size
    cdef bytes _tail

    cdef bint _fits_in(self, at.View room) except -1


cdef class MemberPath(GenerationShape):
    cdef readonly object _group_id
    cdef readonly object _instance_id
    cdef readonly object _member_id
    cdef bint _monotonic
    cdef readonly bytes _reply
    cdef object _seen
    cdef object _slot
    cdef object _stable
    cdef object _timer
    cdef object _topic
    cdef dict _topics

    cdef object _loaded(self)

    cdef bint _lives(self, object group, long long generation) except -1

    @cython.locals(
        current=cython.longlong, deadline=cython.double, patience=cython.double,
        due=cython.double,
    )
    cdef bint _expects(self, object group, long long generation) except -1

    @cython.locals(members=dict)
    cdef object _member(self, object group)


cdef class HeartbeatPath(MemberPath):
    cdef object _preparing
    cdef bytes _refusal

    @cython.locals(generation=cython.longlong, groups=dict)
    cdef object answer_in(self, object data, long long start, at.Room room)
