"""raw.py in C: the same names, found by those who cimport them."""

from pykafka_ops.compiled.raw cimport HEADER_SIZE, Fields, Room, View, checksum, covered, header, part

cdef extern from "records.h" nogil:
    ctypedef struct pko_record_head:
        long long stop, delta, key_at, key_size
    pko_record_head pko_read_head(
        const unsigned char *data, long long total, long long at, long long end, bint keyed
    )
    bint pko_number(
        const unsigned char *data, long long total, long long *at, unsigned bits, long long *found
    )

cdef extern from *:
    """
    #define pko_prefetch(at) __builtin_prefetch(at, 1)
    """
    void pko_prefetch(const void *at) nogil

cdef enum:
    DEAD = 1
    TOMBSTONE = 2
    KEYLESS = 5

ctypedef long long[::1] Cells
ctypedef (long long, long long) Pair
ctypedef (long long, long long, long long, long long) Head


cdef inline pko_record_head _read(View view, long long place, long long end, bint keyed):
    cdef pko_record_head found
    found.stop = -1
    if view.shape[0] and place >= 0:
        found = pko_read_head(&view[0], view.shape[0], place, end, keyed)
    if found.stop < 0:
        raise IndexError
    return found


cdef inline Pair start(View view, long long place, long long end) except *:
    cdef pko_record_head found = _read(view, place, end, False)
    return found.stop, found.delta


cdef inline Head head(View view, long long place, long long end) except *:
    cdef pko_record_head found = _read(view, place, end, True)
    return found.stop, found.delta, found.key_at, found.key_size


cdef inline Pair sized(View view, long long place) except *:
    cdef long long size = 0
    if place < 0 or not view.shape[0]:
        raise IndexError
    if not pko_number(&view[0], view.shape[0], &place, 32, &size):
        raise IndexError
    return place, size


cdef inline int prefetch(Cells cells, long long place) except -1:
    if 0 <= place < cells.shape[0]:
        pko_prefetch(&cells[place])
    return 0
