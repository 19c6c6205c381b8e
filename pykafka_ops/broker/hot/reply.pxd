"""What reply.py is where it is compiled."""

cimport pykafka_ops.broker.hot.raw as at


cdef class ProduceReply:
    cdef bytes _frame
    cdef long long _numbers
    cdef object _pack
    cdef tuple _parts
    cdef long long _place

    cdef bytes pack(
        self, long long correlation_id, long long index, long long base_offset,
        long long log_start
    )
