"""Producer snapshots."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.disk.snapshot import ProducerEntry, read_snapshot, write_snapshot
from pykafka_ops.errors import CorruptIndexError

LONG, INT = st.integers(-1, 2**63 - 1), st.integers(-1, 2**31 - 1)
ENTRIES = st.builds(
    ProducerEntry, LONG, st.integers(-1, 2**15 - 1), INT, LONG, INT, LONG, INT, LONG
)


@given(st.lists(ENTRIES, max_size=20))
def test_snapshots_round_trip(entries: list[ProducerEntry]) -> None:
    assert read_snapshot(write_snapshot(entries)) == entries


@pytest.mark.parametrize("at", [0, 1, 2, 6, 9, 20])
def test_any_damage_is_found(at: int) -> None:
    data = bytearray(write_snapshot([ProducerEntry(1), ProducerEntry(2)]))
    data[at] ^= 0x40
    with pytest.raises(CorruptIndexError):
        read_snapshot(data)


@pytest.mark.parametrize("size", [0, 1, 2, 9, 10, 50])
def test_cut_files_are_refused(size: int) -> None:
    with pytest.raises(CorruptIndexError):
        read_snapshot(write_snapshot([ProducerEntry(1)])[:size])


@given(st.binary(max_size=80))
def test_noise_is_refused(data: bytes) -> None:
    with pytest.raises(CorruptIndexError):
        read_snapshot(data)
