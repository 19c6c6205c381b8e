"""What append.py is where it is compiled."""

cimport cython
cimport pykafka_ops.broker.hot.raw as at
from pykafka_ops.broker.hot.file cimport FileHead
from pykafka_ops.broker.hot.heads cimport (
    MeterHead, PartitionHead, ProducersHead, SegmentHead, TailHead, WakeHead
)
from pykafka_ops.broker.hot.records cimport promised
from pykafka_ops.broker.hot.sequence cimport in_sequence, note


@cython.locals(
    _=cython.longlong, base=cython.longlong, length=cython.longlong, magic=cython.longlong, crc=cython.longlong,
    flags=cython.longlong, delta=cython.longlong, producer_id=cython.longlong,
    epoch=cython.longlong, sequence=cython.longlong, n=cython.longlong, size=cython.longlong,
    transactional=cython.bint, body=at.View,
)
cpdef bint is_usual(
    TailHead tail, object data, long long start, at.View view, at.Fields fields
) except -1

cpdef bint is_due(TailHead tail, SegmentHead active, at.Fields fields) except -1

@cython.locals(
    _=cython.longlong, length=cython.longlong, delta=cython.longlong, timestamp=cython.longlong,
    producer_id=cython.longlong, sequence=cython.longlong, producers=ProducersHead,
    first=cython.longlong, position=cython.longlong, last=cython.longlong, offsets=list,
)
cpdef long long write(
    TailHead tail, SegmentHead active, at.Room room, at.Fields fields, long long leader_epoch
) except -1

cpdef add(SegmentHead segment, at.View data, long long size, long long last_offset, long long timestamp)

@cython.locals(known=FileHead, end=cython.longlong)
cpdef long long extend(SegmentHead segment, at.View data, long long size) except -1

@cython.locals(latest=cython.longlong)
cpdef int account(
    SegmentHead segment, long long position, long long size, long long last_offset,
    long long timestamp
) except -1

@cython.locals(meter=MeterHead)
cpdef settle(
    PartitionHead partition, TailHead tail, WakeHead wake, long long size, long long messages
)
