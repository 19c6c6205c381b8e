"""What rebalances.py is where it is compiled."""

cimport cython
cimport pykafka_ops.broker.coordinators.hot.raw as at
from pykafka_ops.broker.coordinators.hot.members cimport MemberPath
from pykafka_ops.broker.hot.deferred cimport Deferred


cdef class JoinPath(MemberPath):
    cdef long long _most
    cdef list _names
    cdef object _preparing
    cdef object _protocol_type
    cdef tuple _protocols
    cdef object _rebalance_timeout
    cdef object _session_timeout
    cdef readonly long long correlation_id

    @cython.locals(groups=dict)
    cdef object answer_in(self, object data, long long start, at.Room room)

    cdef bint _fits_in(self, at.View room) except -1

    @cython.locals(
        waiting=cython.longlong, members=dict, count=cython.longlong, supported=dict,
    )
    cdef object _expected(self, object group)

    cdef Deferred _waits(self, object group, object member)


cdef class SyncPath(MemberPath):
    cdef object _completing
    cdef object _protocol
    cdef object _protocol_type
    cdef readonly long long correlation_id

    @cython.locals(generation=cython.longlong, groups=dict)
    cdef object answer_in(self, object data, long long start, at.Room room)

    @cython.locals(pending=set)
    cdef object _of(self, object group, long long generation)

    @cython.locals(current=cython.longlong, pending=set)
    cdef object _known(self, object group, long long generation)

    cdef Deferred _waits(self, object member)
