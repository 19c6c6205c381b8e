"""What records.py is where it is compiled."""

cimport cython
cimport pykafka_ops.broker.hot.raw as at

# without a type it would be looked up in the module, and compared as an object, for every record
cdef long long _NO_TIMESTAMP

cpdef bint promised(at.View data, Py_ssize_t start, at.Fields fields) except -1

@cython.locals(
    latest=cython.longlong, number=cython.longlong, record=at.Record, time=cython.longlong
)
cpdef bint in_order(
    at.View data, long long place, long long base_time, long long max_time, long long count
) except -1
