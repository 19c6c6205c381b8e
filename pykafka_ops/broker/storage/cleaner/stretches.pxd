"""What stretches.py is where it is compiled."""

cimport cython
cimport pykafka_ops.broker.storage.cleaner.raw as at
from pykafka_ops.broker.storage.cleaner.sifting cimport take_in

# without types they would be looked up in the module, and compared as objects, for every batch
cdef long long LOG_OVERHEAD, _LEAST, _CODEC, _CLOSELY, _LEAST_RECORD, _INNERMOST

@cython.locals(size=cython.longlong)
cdef long long size_at(at.View data, long long place, at.Fields fields, long long attributes) except -1

@cython.locals(
    reached=cython.longlong, batch=at.View, fields=at.Fields, size=cython.longlong,
    count=cython.longlong, span=tuple, offsets=tuple,
)
cpdef tuple index(at.View data, long long place, long long start, object keys, at.Room fates)

@cython.locals(
    found=list, keyless=cython.longlong, room=cython.longlong, batch=at.View, fields=at.Fields,
    size=cython.longlong, begin=cython.longlong, last=cython.longlong, end=cython.longlong,
    gone=cython.longlong, without=cython.longlong, tombstones=cython.longlong,
    number=cython.longlong, fate=cython.longlong,
)
cpdef tuple settle(at.View data, long long place, at.Room fates, long long first, long long latest)
