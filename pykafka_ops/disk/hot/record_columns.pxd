"""what record_columns.py is where it is compiled."""

cimport cython
cimport pykafka_ops.compiled.raw as at
cimport pykafka_ops.disk.hot.filling as fill

# without types they would be looked up in the module, and compared as objects, for every batch
cdef long long _OVERHEAD, _LEAST, _FIELDS

@cython.locals(
    place=cython.longlong, number=cython.longlong, end=cython.longlong, most=cython.longlong,
    length=cython.longlong,
)
cpdef tuple frames(at.View data, bint whole, fill.Longs places)

@cython.locals(
    offsets=fill.Longs, times=fill.Longs, owners=fill.Integers, key_sizes=fill.Integers,
    value_sizes=fill.Integers, headers=fill.Longs, key_ends=fill.Integers,
    value_ends=fill.Integers, keys=at.Room, values=at.Room, bad=at.Room, low=cython.longlong,
    high=cython.longlong, key_copy=cython.bint, value_copy=cython.bint, number=cython.longlong,
    key_end=cython.longlong, value_end=cython.longlong, batch=cython.longlong,
    field=cython.longlong, begin=cython.longlong, end=cython.longlong, count=cython.longlong,
    base=cython.longlong, base_time=cython.longlong, factor=cython.longlong,
    before=cython.longlong, key_before=cython.longlong, value_before=cython.longlong,
    section=at.View, place=cython.longlong, time=cython.longlong, delta=cython.longlong,
    key_at=cython.longlong, key_size=cython.longlong, value_at=cython.longlong,
    value_size=cython.longlong, rest=cython.longlong, offset=cython.longlong, _=cython.longlong,
)
cpdef tuple records(
    at.View data, fill.Longs batches, tuple bounds, tuple copies, tuple places, tuple contents
)
