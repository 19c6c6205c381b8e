"""Bytes in flight: protocol tables, codec, frames, error codes. Pure: no I/O, no clock."""
