"""What records.py is where it is compiled."""

cimport cython
cimport pykafka_ops.broker.hot.raw as at

# without types they would be looked up in the module, and compared as objects, for every byte
cdef long long _BITS, _MOST_TIME, _NO_TIMESTAMP

cpdef bint promised(at.View data, Py_ssize_t start, at.Fields fields) except -1

@cython.locals(
    total=cython.longlong, latest=cython.longlong, number=cython.longlong, size=cython.longlong,
    end=cython.longlong, delta=cython.longlong, time=cython.longlong,
)
cpdef bint in_order(
    at.View data, long long place, long long base_time, long long max_time, long long count
) except -1

@cython.locals(number=cython.longlong, shift=cython.int, byte=cython.longlong)
cpdef (long long, long long) varint(at.View data, long long place) except *

@cython.locals(size=cython.longlong)
cdef long long behind(at.View data, long long place) except -1

@cython.locals(count=cython.longlong, size=cython.longlong)
cdef long long behind_headers(at.View data, long long place, long long end) except -1
