"""Numbers and texts of dump-log as Java makes them."""

from __future__ import annotations

import pytest

from pykafka_ops.commands.dump_log.java import JavaError
from pykafka_ops.commands.dump_log.log_file import LogFile
from pykafka_ops.commands.dump_log.printing.legacy import message_header
from pykafka_ops.commands.dump_log.printing.records import java_sequence
from pykafka_ops.disk.snapshot import read_snapshot
from pykafka_ops.errors import CorruptIndexError


def test_last_sequences_overflow_as_in_java() -> None:
    assert java_sequence(5, 3) == 8
    assert java_sequence(2**31 - 1, 1) == 0
    assert java_sequence(485928513, -419760620) == -2081315755  # printed by Kafka's tool


def test_a_magic_below_zero_ends_the_dump() -> None:
    data = bytes(8) + (40).to_bytes(4, "big") + bytes(4) + b"\xfc" + bytes(40)
    with pytest.raises(JavaError, match="Invalid magic used in LegacyRecord: -4"):
        message_header(LogFile.of(data, "x.log"), 0)


def test_a_snapshot_of_fewer_than_no_producers() -> None:
    with pytest.raises(CorruptIndexError, match="Array size -5 cannot be negative"):
        read_snapshot(b"\0\1" + bytes(4) + (-5).to_bytes(4, "big", signed=True))
