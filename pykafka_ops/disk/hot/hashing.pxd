"""hashing.py in C: the same names, found by those who cimport them."""

from pykafka_ops.compiled.raw cimport Record, View

cdef extern from "hashing.h" nogil:
    unsigned long long pko_record_hash(const unsigned char *at, size_t size, long long timestamp)
    unsigned long long pko_added(unsigned long long total, unsigned long long value)
    unsigned long long pko_chained(unsigned long long before, unsigned long long value)
    long long pko_content_start(
        const unsigned char *data, long long key_at, long long key_size, long long value_at,
        long long value_size, long long headers, long long end
    )


cdef inline unsigned long long record_hash(
    View data, long long start, long long end, long long timestamp
) except? 0:
    if start < 0 or end < start or end > data.shape[0]:
        raise IndexError
    return pko_record_hash(&data[0] + start if end else NULL, end - start, timestamp)


cdef inline unsigned long long added(unsigned long long total, unsigned long long value) noexcept:
    return pko_added(total, value)


cdef inline unsigned long long chained(
    unsigned long long before, unsigned long long value
) noexcept:
    return pko_chained(before, value)


cdef inline long long content_start(View data, Record record) except? -1:
    if record[3] < 0 or record[0] > data.shape[0] or record[7] >= record[0]:
        raise IndexError
    return pko_content_start(
        &data[0], record[3], record[4], record[5], record[6], record[7], record[0]
    )
