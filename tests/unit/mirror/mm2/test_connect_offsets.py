"""Positions of MirrorMaker 2 in Connect's topic."""

from __future__ import annotations

import pytest

from pykafka_ops.disk.record import Record
from pykafka_ops.mirror.mm2.connect_offsets import MOST, positions_of

KEY = b'["MirrorSourceConnector",{"cluster":"a","partition":3,"topic":"orders"}]'


def _record(key: bytes | None, value: bytes | None) -> Record:
    return Record(0, 0, key, value)


def test_goes_on_behind_what_was_copied() -> None:
    records = [_record(KEY, b'{"offset":7}'), _record(KEY, b'{"offset":41}')]
    assert positions_of(records, "a") == {("orders", 3): 42}


def test_a_tombstone_takes_a_position_away() -> None:
    assert positions_of([_record(KEY, b'{"offset":7}'), _record(KEY, None)], "a") == {}


def test_other_clusters_say_nothing() -> None:
    assert positions_of([_record(KEY, b'{"offset":7}')], "b") == {}


@pytest.mark.parametrize(
    "key",
    [
        None,
        b"",
        b"{",
        b"[" * 10_000,
        b'["MirrorHeartbeatConnector",{"sourceClusterAlias":"a","targetClusterAlias":"b"}]',
        b'["x",{"cluster":"a","partition":-1,"topic":"t"}]',
        b'["x",{"cluster":"a","partition":"0","topic":"t"}]',
        b'["' + b"x" * MOST + b'",{"cluster":"a","partition":0,"topic":"t"}]',
    ],
)
def test_other_keys_say_nothing(key: bytes | None) -> None:
    assert positions_of([_record(key, b'{"offset":7}')], "a") == {}


@pytest.mark.parametrize("value", [b"", b"7", b'{"offset":-1}', b'{"offset":"7"}', b'{"o":7}'])
def test_a_damaged_value_is_no_position(value: bytes) -> None:
    assert positions_of([_record(KEY, value)], "a") == {}
