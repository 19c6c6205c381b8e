"""What `scripts/mirror_drill` calls amiss: its checks find what they are there for."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from tests.support.drill.audits import audit_complaints
from tests.support.drill.excused import skipped, without
from tests.support.drill.ledger import ABORTED, COMMITTED, UNKNOWN, TopicLedger, amiss_at_source
from tests.support.drill.links import DrillPair
from tests.support.drill.planted import SourceRecord, plant
from tests.support.drill.reading import (
    SeenRecord,
    compacted_differences,
    differences,
    suffix_differences,
)
from tests.support.drill.sites import ALIASES


def log(*ids: str) -> list[SeenRecord]:
    """``w.1=x`` is record 1 of writer w with the key and value x; ``w.1=`` deletes the key w."""
    found = []
    for offset, text in enumerate(ids):
        name, _, value = text.partition("=")
        key = name.partition(".")[0].encode()
        found.append(SeenRecord(offset, name, key, bool(value), 0, text.encode()))
    return found


SOURCE = log("a.1=1", "b.1=2", "a.2=3", "b.2=4")


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (SOURCE, ""),
        (SOURCE[:1] + SOURCE[2:], "1 lost: b.1 at 1"),
        ([*SOURCE[:2], *SOURCE[1:]], "2 doubled: b.1 at 1"),
        (log("a.1=1", "b.1=2", "a.2=5", "b.2=4"), "from a.2 at 2 on: a.2 at 2"),
        ([*SOURCE, *log("c.1=1")], "1 not of the source: c.1 at 0"),
        ([SOURCE[1], SOURCE[0], *SOURCE[2:]], "from a.1 at 0 on: b.1 at 1"),
    ],
)
def test_a_log_differs_by_what_is_lost_doubled_altered_or_moved(
    other: list[SeenRecord], said: str
) -> None:
    lines = differences(SOURCE, other)
    assert bool(lines) == bool(said)
    assert said in "\n".join(lines)


def test_what_the_source_deleted_may_be_at_the_target_once_and_in_order() -> None:
    left, sent = SOURCE[2:], {r.id for r in SOURCE}
    assert not suffix_differences(left, SOURCE, sent)
    assert not suffix_differences(left, SOURCE[1:], sent)
    assert suffix_differences(left, SOURCE[:3], sent)
    assert suffix_differences(left, [SOURCE[0], *SOURCE], sent)
    assert not suffix_differences(left, [SOURCE[0], *SOURCE], sent, once=False)
    assert suffix_differences(left, [*log("c.1=1"), *left], sent)


def test_of_a_compacted_topic_the_last_values_and_the_order_count() -> None:
    source = log("a.1=1", "b.1=1", "a.2=2", "b.2=")
    assert not compacted_differences(source, source[2:])
    assert not compacted_differences(source[2:3], source)
    assert compacted_differences(source, source[:3])
    assert compacted_differences(source, source[1:2])
    assert compacted_differences(source, [source[2], source[1], source[3], source[0]])


def ledger(acked: Sequence[str], sent: Sequence[str] = ()) -> TopicLedger:
    made = TopicLedger("t")
    made.acked, made.sent = set(acked), {*acked, *sent}
    return made


def test_a_topic_lacks_what_was_acknowledged_and_has_nothing_else() -> None:
    assert not amiss_at_source(ledger(["a", "b"], ["c"]), ["a", "b", "c"], strict=True)
    assert "lost: b" in amiss_at_source(ledger(["a", "b"]), ["a"], strict=True)[0]
    assert "twice" in amiss_at_source(ledger(["a"]), ["a", "a"], strict=True)[0]
    assert "nobody sent: b" in amiss_at_source(ledger(["a"]), ["a", "b"], strict=True)[0]


@pytest.mark.parametrize(("how", "whole"), [(COMMITTED, {2}), (ABORTED, {0}), (UNKNOWN, {0, 2})])
def test_a_transaction_is_there_as_a_whole_or_not(how: str, whole: set[int]) -> None:
    made = ledger(["a", "b"])
    made.ended(["a", "b"], how)
    for count in range(3):
        lines = amiss_at_source(made, ["a", "b"][:count], strict=True)
        assert bool(lines) == (count not in whole), count
    assert not amiss_at_source(made, ["a", "b"], strict=False)


def test_each_planted_fault_is_where_it_is_expected() -> None:
    source = [SourceRecord(n * 3, b"k%d" % n, b"v", [], n) for n in range(900)]
    copy = plant(source, 25, random.Random(4))
    assert {kind for kind, *_ in copy.expected} == {"missing", "duplicate", "altered", "reordered"}
    assert copy.expected.total() == 25
    by_key = {(record.key or b"").decode(): record for record in source}
    for kind, offset_a, offset_b, key in copy.expected:
        assert offset_a is None or by_key[key or ""].offset == offset_a
        assert kind == "duplicate" or offset_a is not None
        assert offset_b is None or copy.records[offset_b].key == (key or "").encode()
    rest = [one for one in copy.records if one in source]
    assert len(rest) == len(copy.records) - sum(k == "altered" for k, *_ in copy.expected)


def row(**more: object) -> dict[str, object]:
    told = dict.fromkeys(("missing", "extra", "altered", "reordered", "duplicates", "partial"), 0)
    same = {"topic": "t", "partition": 0, "state": "equal", "pending": 0, "differing": 0}
    lists: dict[str, object] = {"different_records": [], "different_buckets": []}
    return {**told, **same, "records_a": 9, "records_b": 9, **lists, **more}


def test_audit_has_to_say_equal_and_to_count_alike() -> None:
    assert not audit_complaints(row(), counted=9, partial=False)
    assert audit_complaints(row(), counted=8, partial=False)
    assert audit_complaints(row(state="partial"), counted=None, partial=False)
    assert not audit_complaints(row(state="partial"), counted=None, partial=True)
    assert audit_complaints(row(pending=1), counted=None, partial=True)
    assert not audit_complaints(row(state="open"), counted=None, partial=True)
    assert audit_complaints(row(state="partial", differing=1), counted=None, partial=True)


def test_a_pair_names_two_clusters_and_the_ways_between_them() -> None:
    assert list(DrillPair.of("ours->apache3", ALIASES).ways()) == [("ours", "apache3")]
    both = [("ours", "apache4"), ("apache4", "ours")]
    assert list(DrillPair.of("ours<->apache4", ALIASES).ways()) == both
    for wrong in ("ours", "ours->ours", "ours->theirs"):
        with pytest.raises(ValueError, match="two of ours, apache3, apache4"):
            DrillPair.of(wrong, ALIASES)


def test_what_a_mirror_found_deleted_and_a_killed_kafka_brought_back_is_left_out() -> None:
    said = (
        "2026-01-01 10:00:00,000 WARNING apache3->ours: trimmed-1: the source deleted offsets 1 to "
        "2 before they were copied\n"
        "2026-01-01 10:00:00,000 INFO apache3->ours: copying goes on\n"
    )
    found = skipped(said)
    assert found == {("apache3->ours", "trimmed", 1): [(1, 2)]}
    assert [r.id for r in without(SOURCE, *found.values())] == ["a.1", "b.2"]
    assert without(SOURCE, ()) == SOURCE
