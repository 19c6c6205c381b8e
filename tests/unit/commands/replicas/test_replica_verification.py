"""kafka-replica-verification without a broker: what is compared, and its words."""

from __future__ import annotations

import pytest

from pykafka_ops.client.replica_fetch import NOTHING, Replica
from pykafka_ops.commands.replicas.compare import (
    OtherOffsetError,
    UnreadableReplicaError,
    compare,
)
from pykafka_ops.disk.batch import read_header
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.record import Record
from tests.support.golden.transcripts import run

PLACE = ("orders", 0)
TOOL = "kafka-replica-verification"


def batch(first: int, count: int, text: bytes = b"v") -> bytes:
    records = [Record(n, 5, None, text) for n in range(first, first + count)]
    return bytes(build_batch(records, base_offset=first))


def replica(*batches: bytes, high: int) -> Replica:
    return Replica(memoryview(b"".join(batches)), high, None)


def test_equal_replicas_are_gone_through_to_the_end() -> None:
    both = replica(batch(3, 2), batch(5, 1), high=6)
    assert compare(PLACE, 3, {1: both, 2: both}) == (6, [])


def test_only_what_is_committed_on_every_replica_is_compared() -> None:
    leader = replica(batch(0, 2), batch(2, 2), high=4)
    behind = replica(batch(0, 2), high=2)
    unaware = replica(batch(0, 2), batch(2, 2), high=2)
    assert compare(PLACE, 0, {1: leader, 2: behind}) == (2, [])
    assert compare(PLACE, 0, {1: leader, 2: unaware}) == (2, [])
    assert compare(PLACE, 0, {1: leader, 2: NOTHING}) == (0, [])
    assert compare(PLACE, 7, {1: NOTHING, 2: NOTHING}) == (7, [])


def test_other_bytes_are_told_and_the_rest_is_compared() -> None:
    one, two = batch(0, 1, b"a"), batch(0, 1, b"b")
    crcs = [read_header(memoryview(data), 0).crc for data in (one, two)]
    found = compare(PLACE, 0, {4: replica(one, batch(1, 1), high=2),
                               2: replica(two, batch(1, 1), high=2)})  # fmt: skip
    assert found == (2, [
        f"partition orders-0 has unmatched checksum at offset 0; replica 2's checksum {crcs[1]}; "
        f"replica 4's checksum {crcs[0]}"
    ])  # fmt: skip


def test_other_offsets_end_it() -> None:
    with pytest.raises(OtherOffsetError) as caught:
        compare(PLACE, 0, {1: replica(batch(0, 2), high=9), 2: replica(batch(0, 3), high=9)})
    assert str(caught.value) == (
        "partition orders-0: replica 1's offset 1 doesn't match replica 2's offset 2"
    )


def test_what_is_no_batch_ends_it() -> None:
    garbage = Replica(memoryview(b"\0" * 61), 9, None)
    with pytest.raises(UnreadableReplicaError, match="Error in processing replica 2 in partition"):
        compare(PLACE, 0, {1: replica(batch(0, 2), high=9), 2: garbage})


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("--fetch-size 5", 'Missing required argument "[broker-list]"'),
        ("--broker-list xx", "Please provide valid host:port like host1:9091,host2:9092"),
        ("--broker-list h:1 --topics-include (", "( is an invalid regex"),
        ("--broker-list h:1 --topic-white-list [", "[ is an invalid regex"),
        ("--broker-list h:1 --time x", "Cannot parse argument 'x' of option time"),
        ("--broker-list h:1 --bogus", "bogus is not a recognized option"),
    ],
)
def test_complaints_are_kafkas(monkeypatch: pytest.MonkeyPatch, words: str, complaint: str) -> None:
    monkeypatch.delenv("PKO_BOOTSTRAP_SERVER", raising=False)
    said = run(TOOL, *words.split())
    warning, *lines = said.stderr.splitlines()
    assert (said.code, lines[0]) == (1, complaint)
    assert "WARN This tool is deprecated and may be removed in a future major release." in warning
