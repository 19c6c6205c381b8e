"""What deferred.py is where it is compiled."""


cdef class Deferred:
    cdef object _callback
    cdef object _shape
    cdef public object answer
    cdef public bint done
    cdef public object on_abandon
