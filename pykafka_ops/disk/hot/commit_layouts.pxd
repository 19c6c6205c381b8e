"""What commit_layouts.py is where it is compiled."""

cimport cython
cimport pykafka_ops.compiled.raw as at
cimport pykafka_ops.disk.hot.masked as masked

cdef long long _MOST, _OVERHEAD


cdef class Layout:
    cdef object expected
    cdef long long last_offset_delta
    cdef object mask
    cdef long long size
    cdef object unpack


cdef class Layouts:
    cdef long long _bytes
    cdef object _fields
    cdef dict _layouts
    cdef dict _tries

    @cython.locals(
        view=at.View, found=list, layouts=dict, layout=Layout, total=cython.longlong,
        number=cython.longlong, size=cython.longlong, end=cython.longlong,
    )
    cpdef list some(self, object data, long long position)
