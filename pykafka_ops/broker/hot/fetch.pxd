"""What fetch.py is where it is compiled."""

cimport cython
from pykafka_ops.broker.hot.heads cimport LogHead, PartitionHead, SegmentHead, TailHead
from pykafka_ops.broker.hot.serving cimport Shape

cdef long long AT_ONCE


cdef class FetchPath(Shape):
    cdef object _asked
    cdef readonly bint _by_id
    cdef bint _committed
    cdef long long _end
    cdef readonly bytes _foot
    cdef readonly bytes _head
    cdef object _hosted
    cdef readonly long long _version
    cdef readonly long long follower
    cdef public bint is_checked

    @cython.locals(found=list, any_read=cython.bint, read=tuple)
    cpdef list look(self, object partitions, long long left)

    @cython.locals(
        partition=PartitionHead, log=LogHead, tail=TailHead, start=cython.longlong,
        high_watermark=cython.longlong, offset=cython.longlong, stable=cython.longlong,
        bound=cython.longlong, size=cython.longlong, records=tuple,
    )
    cdef tuple _look_at(self, object key, object wanted, long long left, bint any_read)

    @cython.locals(
        partition=PartitionHead, log=LogHead, tail=TailHead, epoch=cython.longlong,
        leader=cython.longlong, start=cython.longlong, end=cython.longlong,
        offset=cython.longlong, last=cython.longlong,
    )
    cdef PartitionHead _readable(self, object wanted)

    @cython.locals(
        tail=TailHead, active=SegmentHead, offsets=list, positions=list, n=cython.Py_ssize_t,
        place=cython.longlong, end=cython.longlong, size=cython.longlong,
    )
    cdef tuple _records(
        self, object log, long long offset, long long bound, long long most, bint any_read
    )
