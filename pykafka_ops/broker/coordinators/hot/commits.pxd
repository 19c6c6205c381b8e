"""What commits.py is where it is compiled."""

cimport cython
cimport pykafka_ops.broker.coordinators.hot.raw as at
from pykafka_ops.broker.coordinators.hot.members cimport MemberPath
from pykafka_ops.broker.hot.append cimport is_due, settle, write
from pykafka_ops.broker.hot.heads cimport (
    LogHead, PartitionHead, SegmentHead, TailHead, WakeHead
)

cdef long long _NO_EPOCH
cdef long long _EPOCH


cdef class CommitPath(MemberPath):
    cdef at.Room _batch
    cdef object _clock
    cdef object _empty
    cdef bint _has_epochs
    cdef list _images
    cdef long long _length
    cdef list _names
    cdef readonly list _notes
    cdef list _offsets
    cdef tuple _pattern
    cdef readonly list _places
    cdef list _times
    cdef list _values
    cdef WakeHead _wake
    cdef bint _wall

    cdef object answer_in(self, object data, long long start, at.Room room)

    cdef bint _fits_in(self, at.View room) except -1

    @cython.locals(images=list, number=cython.longlong)
    cdef bint _are_there(self) except -1

    @cython.locals(
        active=SegmentHead, batch=at.Room, committed=dict, count=cython.longlong, every=dict,
        fields=at.Fields, groups=dict, length=cython.longlong, log=LogHead, made=list,
        now=cython.longlong, number=cython.longlong, partition=PartitionHead,
        position=cython.longlong, tail=TailHead,
    )
    cdef object _commit(self, object slot, object data, long long start, at.Room room)

    @cython.locals(log=LogHead, tail=TailHead)
    cdef bint _may_append(self, object slot, PartitionHead partition) except -1

    cdef bint _may_commit(self, object slot, object group, long long generation) except -1

    @cython.locals(
        batch=at.Room, epoch=cython.longlong, made=list, notes=list, number=cython.longlong,
        offset=cython.longlong, offsets=list, times=list, values=list, where=cython.longlong,
    )
    cdef list _made(self, dict known, at.View room, long long now, long long position)
