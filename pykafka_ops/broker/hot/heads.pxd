"""What the fields of the heads are, where they are compiled; see heads.py."""

cimport pykafka_ops.broker.hot.raw as at


cdef class MeterHead:
    cdef public long long bytes_in
    cdef public long long messages_in
    cdef public long long produces


cdef class ProducerHead:
    cdef public list batches
    cdef public long long epoch
    cdef public long long last_timestamp
    cdef public long long txn_first_offset


cdef class ProducersHead:
    cdef public long long end_offset
    cdef public dict states
    cdef public object verifications


cdef class SegmentHead:
    cdef public long long base_offset
    cdef public long long bytes_since_index
    cdef public bint index_full
    cdef public long long index_interval_bytes
    cdef public long long latest
    cdef public object log_file
    cdef public long long max_timestamp_offset
    cdef public long long oldest
    cdef public long long size


cdef class TailHead:
    cdef public SegmentHead active
    cdef public long long end
    cdef public long long first_unstable
    cdef public long long high_watermark
    cdef public long long latest_epoch
    cdef public long long look_at
    cdef public list offsets
    cdef public long long owed
    cdef public long long own_bytes
    cdef public list positions
    cdef public ProducersHead producers
    cdef public long long roll_after
    cdef public long long segment_bytes
    cdef public long long start
    cdef public long long usual_bytes


cdef class LogHead:
    cdef public TailHead tail


cdef class PartitionHead:
    cdef public object in_sync
    cdef public tuple isr
    cdef public tuple key
    cdef public long long leader
    cdef public long long leader_epoch
    cdef public long long local_id
    cdef public MeterHead meter
    cdef public bytes topic_id
    cdef public LogHead used_log


cdef class WakeHead:
    cdef public dict readers
    cdef public dict waiting
