"""What sifting.py is where it is compiled."""

cimport cython
cimport pykafka_ops.broker.storage.cleaner.raw as at

# without a type it would be looked up in the module, and compared as an object, for every record
cdef long long _NOWHERE

@cython.locals(
    place=cython.longlong, end=cython.longlong, count=cython.longlong, base=cython.longlong,
    most=cython.longlong, cells=at.Cells, slots=cython.longlong, size=cython.longlong,
    waits=cython.bint, ends=cython.bint, offset=cython.longlong, tag=cython.longlong,
    second=cython.longlong, keyed=cython.bint, here=cython.longlong, delta=cython.longlong,
    key_at=cython.longlong, key_size=cython.longlong, key=bytes, new_tag=cython.longlong,
    new_second=cython.longlong, slot=cython.longlong,
)
cpdef long long take_in(
    at.View data, tuple span, tuple offsets, long long start, object keys, at.Room fates
) except? -2

@cython.locals(room=cython.longlong)
cdef int note(at.Room fates, long long before, long long here, bint is_tombstone) except -1

@cython.locals(slot=cython.longlong)
cdef long long put(
    at.Cells cells, long long slots, long long tag, long long second, bint may_grow
) except? -3

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
