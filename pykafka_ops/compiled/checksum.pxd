"""What checksum.py is where it is compiled."""

cimport pykafka_ops.compiled.raw as at

cpdef long long crc32c(object data) except -1
