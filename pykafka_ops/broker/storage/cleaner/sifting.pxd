"""What sifting.py is where it is compiled."""

cimport cython
cimport pykafka_ops.broker.storage.cleaner.raw as at

@cython.locals(
    place=cython.longlong, end=cython.longlong, count=cython.longlong, base=cython.longlong,
    most=cython.longlong, cells=at.Cells, slots=cython.longlong, size=cython.longlong,
    limit=cython.longlong, room=cython.longlong, stop=cython.longlong, delta=cython.longlong,
    key_at=cython.longlong, key_size=cython.longlong, offset=cython.longlong,
    here=cython.longlong, key=bytes, tag=cython.longlong, second=cython.longlong,
    slot=cython.longlong, before=cython.longlong,
)
cpdef long long take_in(
    at.View data, tuple span, tuple offsets, long long start, object keys, at.Room fates
) except? -2

@cython.locals(place=cython.longlong, step=cython.longlong, end=cython.longlong)
cdef long long probe(
    at.Cells cells, long long slots, long long tag, long long second
) except -1

@cython.locals(
    place=cython.longlong, end=cython.longlong, count=cython.longlong, latest=cython.longlong,
    begin=cython.longlong, kept=cython.longlong, keyless=cython.longlong,
    tombstones=cython.bint, stop=cython.longlong, delta=cython.longlong,
    key_at=cython.longlong, key_size=cython.longlong, offset=cython.longlong,
    dirty=cython.bint, keep=cython.bint, runs=list,
)
cpdef object sift(at.View data, tuple span, long long base, object keys, bint drop_tombstones)

@cython.locals(cells=at.Cells, key=bytes, slot=cython.longlong)
cdef bint is_last(
    at.View data, long long key_at, long long key_size, object keys, long long offset
) except -1

@cython.locals(value_at=cython.longlong, size=cython.longlong)
cdef bint is_tombstone(
    at.View data, long long key_at, long long key_size, long long stop
) except -1

@cython.locals(
    place=cython.longlong, end=cython.longlong, count=cython.longlong, begin=cython.longlong,
    kept=cython.longlong, tombstones=cython.bint, stop=cython.longlong, delta=cython.longlong,
    fate=cython.longlong, runs=list,
)
cpdef object pick(at.View data, tuple span, at.Room fates, bint drop_tombstones)
