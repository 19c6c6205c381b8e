"""What tally.py is where it is compiled."""

cimport cython
cimport pykafka_ops.compiled.raw as at
cimport pykafka_ops.disk.hot.hashing as hashing

# without types they would be looked up in the module, and compared as objects, for every batch
cdef long long _OVERHEAD, _LEAST, _UNUSUAL, _APPEND_TIME, _LEAST_RECORD, _MOST_TIME


cdef class BucketTally:
    cdef public long long bytes
    cdef public unsigned long long checksum
    cdef public long long end
    cdef public long long first_ms
    cdef public long long first_offset
    cdef public long long last_ms
    cdef public long long last_offset
    cdef public unsigned long long order
    cdef public long long records
    cdef public long long start

    @cython.locals(value=cython.ulonglong)
    cpdef add(self, at.View data, long long start, long long end, long long offset, long long time)


cdef class Tally:
    cdef public BucketTally bucket
    cdef public dict buckets
    cdef public long long first
    cdef public long long stop
    cdef public long long width

    @cython.locals(
        total=cython.longlong, reached=cython.longlong, size=cython.longlong, view=at.View,
        batch=at.View, fields=at.Fields,
    )
    cpdef tuple usual(self, at.View data, long long place)

    @cython.locals(
        base=cython.longlong, base_time=cython.longlong, appended=cython.longlong,
        total=cython.longlong, time=cython.longlong, start=cython.longlong, record=at.Record,
        _=cython.longlong,
    )
    cpdef records(self, at.View data, long long place, at.Fields fields)

    cpdef count(self, at.View data, long long start, long long end, long long offset, long long time)

    @cython.locals(start=cython.longlong, found=BucketTally)
    cpdef turn_to(self, long long time)
