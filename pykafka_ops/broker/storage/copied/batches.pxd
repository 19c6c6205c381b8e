"""What batches.py is where it is compiled."""

cimport cython
cimport pykafka_ops.broker.hot.raw as at
from pykafka_ops.broker.hot.append cimport account, extend
from pykafka_ops.broker.hot.heads cimport ProducersHead, SegmentHead, TailHead
from pykafka_ops.broker.hot.sequence cimport in_sequence, note

cdef long long LOG_OVERHEAD
cdef long long CONTROL_FLAG
cdef long long UP_TO_MAGIC

@cython.locals(end=cython.longlong, place=cython.longlong)
cpdef long long stretch(at.View records, long long start, long long most) except -1

@cython.locals(
    _=cython.longlong, place=cython.longlong, end=cython.longlong, following=cython.longlong,
    room=cython.longlong, epoch=cython.longlong, most=cython.longlong, rest=at.View, body=at.View,
    fields=at.Fields, base=cython.longlong, length=cython.longlong, leader=cython.longlong,
    magic=cython.longlong, crc=cython.longlong, flags=cython.longlong, delta=cython.longlong,
    timestamp=cython.longlong, size=cython.longlong, last=cython.longlong,
)
cpdef long long usual(TailHead tail, SegmentHead active, at.View records) except -2

@cython.locals(
    _=cython.longlong, place=cython.longlong, end=cython.longlong, since=cython.longlong,
    interval=cython.longlong, size=cython.longlong, position=cython.longlong,
    producers=ProducersHead, offsets=list, positions=list, fields=at.Fields,
    base=cython.longlong, length=cython.longlong, flags=cython.longlong, delta=cython.longlong,
    timestamp=cython.longlong, producer_id=cython.longlong, epoch=cython.longlong,
    sequence=cython.longlong, last=cython.longlong, transactional=cython.bint,
)
cpdef long long put(
    TailHead tail, SegmentHead active, at.View records, long long start, object replay
) except -1
