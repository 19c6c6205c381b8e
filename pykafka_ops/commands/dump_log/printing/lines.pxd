"""What lines.py is where it is compiled."""

cimport cython
cimport pykafka_ops.commands.dump_log.printing.raw as at

cdef long long _MOST, _WRAP


cdef class Gaps:
    cdef public list found
    cdef public long long last


cdef class Lines:
    cdef Gaps _gaps
    cdef object _names
    cdef object _text

    @cython.locals(
        gaps=Gaps, base=cython.longlong, first=cython.longlong, left=cython.longlong, varies=cython.bint,
        base_time=cython.longlong, last=cython.longlong, place=cython.longlong,
        total=cython.longlong, end=cython.longlong, time=cython.longlong, delta=cython.longlong,
        key_at=cython.longlong, key_size=cython.longlong, value_at=cython.longlong,
        value_size=cython.longlong, rest=cython.longlong, offset=cython.longlong,
        sequence=cython.longlong, numbers=at.Numbers, names=bytes,
    )
    cdef add_in(self, bytes data, at.View view, object header, bytes label, list out, bint content)
