"""Losses, duplicates, alterations and other orders, told apart to the record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from pykafka_ops.analysis.books.told_apart import Finding, ToldRecord, told_apart


def log(*values: str) -> list[ToldRecord]:
    """Records by their values; ``k=v`` has a key."""
    return [
        ToldRecord(at, 0, hash(text), hash(text), text.partition("=")[0] if "=" in text else None)
        for at, text in enumerate(values)
    ]


def found(a: Sequence[ToldRecord], b: Sequence[ToldRecord]) -> list[tuple[str, object, object]]:
    return [(f.kind, f.a.offset if f.a else None, f.b.offset if f.b else None) for f in _told(a, b)]


def _told(a: Sequence[ToldRecord], b: Sequence[ToldRecord]) -> list[Finding]:
    return told_apart(a, b)


def test_equal_logs_have_no_findings() -> None:
    assert found(log("a=1", "b=1", "a=1"), log("a=1", "b=1", "a=1")) == []


def test_each_kind_is_found() -> None:
    a = log("a=1", "b=1", "c=1", "d=1", "e=1")
    assert found(a, log("a=1", "c=1", "d=1", "e=1")) == [("missing", 1, None)]
    assert found(a, log("a=1", "b=1", "b=1", "c=1", "d=1", "e=1")) == [("duplicate", None, 2)]
    assert found(a, log("a=1", "b=2", "c=1", "d=1", "e=1")) == [("altered", 1, 1)]
    assert found(a, log("a=1", "c=1", "b=1", "d=1", "e=1")) in (
        [("reordered", 1, 2)], [("reordered", 2, 1)],
    )  # fmt: skip
    assert found(a, log("a=1", "b=1", "c=1", "z=1", "d=1", "e=1")) == [("extra", None, 3)]


def test_a_record_that_was_twice_in_the_first_and_once_in_the_second_is_missing() -> None:
    assert found(log("a=1", "a=1"), log("a=1")) == [("missing", 1, None)]


def test_another_timestamp_is_an_alteration() -> None:
    a, b = [ToldRecord(0, 5, 1, 9)], [ToldRecord(0, 700, 2, 9)]
    assert found(a, b) == [("altered", 0, 0)]


def test_records_without_keys_are_known_by_their_time() -> None:
    a, b = [ToldRecord(0, 5, 1, 1)], [ToldRecord(3, 5, 2, 2)]
    assert found(a, b) == [("altered", 0, 3)]
    assert found(a, [ToldRecord(3, 6, 2, 2)]) == [("missing", 0, None), ("extra", None, 3)]


def test_what_the_second_has_not_come_to_is_pending() -> None:
    told = told_apart(log("a=1", "b=1", "c=1"), log("a=1"), a_settled=2)
    assert [(f.kind, f.a.offset) for f in told if f.a] == [("missing", 1), ("pending", 2)]


def test_a_unique_name_tells_a_duplicate_whatever_became_of_it() -> None:
    a = [ToldRecord(0, 0, 1, 1, "id-1")]
    b = [ToldRecord(0, 0, 1, 1, "id-1"), ToldRecord(1, 9, 2, 2, "id-1")]
    assert [f.kind for f in told_apart(a, b, unique=True)] == ["duplicate"]
    assert [f.kind for f in told_apart(a, b)] == ["extra"]


@settings(max_examples=40)
@given(st.data())
def test_planted_faults_are_found_to_the_record(data: st.DataObject) -> None:
    count = data.draw(st.integers(6, 24))
    a = [ToldRecord(n, n, n + 1, n + 1, f"k{n}") for n in range(count)]
    faults = data.draw(
        st.lists(st.tuples(st.integers(0, count - 1), st.sampled_from("LDA")), max_size=4,
                 unique_by=lambda fault: fault[0])
    )  # fmt: skip
    kinds = dict(faults)
    b: list[ToldRecord] = []
    for record in a:
        kind = kinds.get(record.offset)
        copy = record._replace(offset=len(b))
        if kind == "L":
            continue
        b.append(copy._replace(hash=-record.hash, content=-record.hash) if kind == "A" else copy)
        if kind == "D":
            b.append(copy._replace(offset=len(b)))
    told = told_apart(a, b)
    names = {"L": "missing", "D": "duplicate", "A": "altered"}
    assert Counter(f.kind for f in told) == Counter(names[kind] for kind in kinds.values())
    lost = {f.a.offset for f in told if f.kind == "missing" and f.a}
    assert lost == {at for at, kind in kinds.items() if kind == "L"}


@settings(max_examples=40)
@given(st.permutations(range(8)))
def test_as_few_as_possible_are_called_reordered(order: list[int]) -> None:
    a = [ToldRecord(n, n, n + 1, n + 1) for n in range(8)]
    b = [a[n]._replace(offset=at) for at, n in enumerate(order)]
    longest = [1] * 8
    for i in range(8):
        longest[i] = 1 + max((longest[j] for j in range(i) if order[j] < order[i]), default=0)
    assert len(told_apart(a, b)) == 8 - max(longest)
