"""Records of __transaction_state, byte for byte as Apache Kafka 3.9.1 wrote them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.broker.state.transactions.metadata import NO_PARTITIONS, Transit, TxnState
from pykafka_ops.broker.state.transactions.records import decode, encode_key, encode_value
from pykafka_ops.disk.batch import scan
from pykafka_ops.disk.internal import (
    UnknownRecordType,
    read_transaction_key,
    read_transaction_value,
)
from pykafka_ops.disk.record import iter_records
from pykafka_ops.errors import CorruptError

GOLDEN = Path(__file__).parents[4] / "golden/segments"


def golden() -> list[tuple[bytes, bytes | None]]:
    found: list[tuple[bytes, bytes | None]] = []
    for path in sorted(GOLDEN.glob("internal-transaction-state-*/*.log")):
        data = path.read_bytes()
        for position, header in scan(data):
            records = iter_records(data, position, header, 1 << 20)
            found += [(r.key or b"", r.value) for r in records]
    return found


def test_what_apache_kafka_wrote_is_written_again_alike() -> None:
    records = golden()
    assert len(records) > 4
    states = set()
    for key, value in records:
        try:
            tid, transit = decode(key, value)
        except (UnknownRecordType, CorruptError):
            continue  # what a damaged or a newer broker's log holds
        if value is not None and value[:2] != b"\0\0":
            continue  # KRaft's version
        assert encode_key(tid) == key
        if transit is None:
            assert value is None
            continue
        states.add(transit.state)
        written = encode_value(transit)
        assert written is not None
        assert value is not None
        assert len(written) == len(value)
        if len(transit.partitions) < 2:  # the order of more is that of Kafka's hash tables
            assert written == value
        assert decode(key, written) == (tid, transit)
    assert {TxnState.EMPTY, TxnState.ONGOING} <= states


PARTITIONS = st.frozensets(st.tuples(st.sampled_from(["a", "ä" * 40, "b"]), st.integers(0, 9)))
INT64 = st.integers(-(2**63), 2**63 - 1)


TRANSITS = st.builds(
    Transit,
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
    INT64,
    st.just(-1),
    st.integers(-1, 2**15 - 1),
    st.just(-1),
    st.integers(0, 2**31 - 1),
    st.sampled_from([s for s in TxnState if s is not TxnState.DEAD]),
    PARTITIONS,
    INT64,
    INT64,
)


@given(TRANSITS)
def test_the_tables_of_the_records_read_the_same(transit: Transit) -> None:
    if transit.state is TxnState.EMPTY:
        transit = transit._replace(partitions=NO_PARTITIONS)
    key, value = encode_key(transit.transactional_id), encode_value(transit)
    assert value is not None
    assert read_transaction_key(key).transactional_id == transit.transactional_id
    found = read_transaction_value(value)
    assert (found.producer_id, found.producer_epoch) == (transit.producer_id, transit.epoch)
    assert (found.transaction_partitions is None) == (transit.state is TxnState.EMPTY)
    assert decode(key, value) == (transit.transactional_id, transit)


def test_an_id_that_dies_leaves_a_tombstone() -> None:
    transit = Transit("x", 1, -1, 0, -1, 1, TxnState.DEAD, NO_PARTITIONS, -1, 5)
    assert encode_value(transit) is None
    assert decode(encode_key("x"), None) == ("x", None)


@pytest.mark.parametrize("cut", range(12))
def test_damaged_records_are_said_to_be_so(cut: int) -> None:
    transit = Transit("x", 1, -1, 0, -1, 1, TxnState.ONGOING, frozenset({("t", 0)}), 3, 5)
    value = encode_value(transit)
    assert value is not None
    with pytest.raises(CorruptError):
        decode(encode_key("x"), value[: cut * len(value) // 12])
    odd = bytearray(value)
    odd[16] = 77
    with pytest.raises(CorruptError, match="77"):
        decode(encode_key("x"), bytes(odd))
