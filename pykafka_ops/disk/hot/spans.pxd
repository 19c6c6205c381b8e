"""What spans.py is where it is compiled."""

cimport cython
cimport pykafka_ops.compiled.raw as at

cdef long long _MOST, _WRAP


cdef class Spans:
    cdef long long _base
    cdef at.View _data
    cdef long long _left
    cdef long long _place
    cdef long long _sequence
    cdef bint _streamed
    cdef long long _time
    cdef bint _varies

    @cython.locals(
        data=at.View, place=cython.longlong, left=cython.longlong, total=cython.longlong,
        found=list, number=cython.longlong, end=cython.longlong, time=cython.longlong,
        delta=cython.longlong, key_at=cython.longlong, key_size=cython.longlong,
        value_at=cython.longlong, value_size=cython.longlong, rest=cython.longlong,
        sequence=cython.longlong, offset=cython.longlong,
    )
    cpdef list some(self)
