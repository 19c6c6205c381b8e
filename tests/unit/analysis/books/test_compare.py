"""Which buckets of two books differ, and which are not to be judged yet."""

from __future__ import annotations

from collections.abc import Sequence

from pykafka_ops.analysis.books.compare import (
    BucketPair,
    CompareRules,
    PartitionBook,
    Span,
    behind_ms,
    compare,
)
from pykafka_ops.analysis.books.latest import LastValue, compare_keys
from pykafka_ops.analysis.books.line import BookLine, across, continued, total

RULES = CompareRules(100)


def line(records: int, checksum: int = 1, *, order: int = 1, first_ms: int = 0) -> BookLine:
    return BookLine(records, records * 10, checksum, order, 0, records - 1, first_ms, first_ms)


def book(
    lines: dict[int, BookLine], read_ms: int = 10_000, dropped: Sequence[Span] = ()
) -> PartitionBook:
    newest = max((one.last_ms for one in lines.values()), default=-1)
    return PartitionBook(lines, read_ms, newest, dropped)


def states(a: PartitionBook, b: PartitionBook, rules: CompareRules = RULES) -> dict[int, str]:
    return {pair.start: pair.state for pair in compare(a, b, rules)}


def pair_of(a: PartitionBook, b: PartitionBook) -> BucketPair:
    return next(iter(compare(a, b, RULES)))


def test_each_difference_has_its_name() -> None:
    a = book({0: line(5), 100: line(5), 200: line(5), 300: line(5), 400: line(5)})
    b = book({0: line(5), 100: line(4), 200: line(6), 300: line(5, 2), 400: line(5, order=2)})
    assert states(a, b) == {
        0: "equal", 100: "missing", 200: "extra", 300: "altered", 400: "reordered",
    }  # fmt: skip


def test_a_bucket_that_is_nowhere_else_is_missing_or_extra() -> None:
    assert pair_of(book({0: line(5)}), book({})).missing == 5
    assert pair_of(book({}), book({0: line(5)})).extra == 5


def test_a_bucket_is_open_until_both_were_read_after_its_end() -> None:
    a = {0: line(5)}
    assert states(book(a, read_ms=99), book({}, read_ms=500)) == {0: "open"}
    assert states(book(a, read_ms=500), book({}, read_ms=99)) == {0: "open"}
    assert states(book(a, read_ms=500), book({}, read_ms=100)) == {0: "missing"}
    late = CompareRules(100, grace=50)
    assert states(book(a, read_ms=500), book({}, read_ms=149), late) == {0: "open"}


def test_what_the_second_has_not_come_to_is_pending_and_not_lost() -> None:
    a = book({0: line(5, first_ms=10), 100: line(5, first_ms=150), 200: line(3, first_ms=250)})
    b = book({0: line(4, first_ms=10), 100: line(1, first_ms=120)})
    assert states(a, b) == {0: "missing", 100: "open", 200: "open"}
    assert [pair.pending for pair in compare(a, b, RULES)] == [0, 4, 3]
    assert behind_ms(a, b) == 130


def test_a_record_that_comes_late_to_the_second_is_no_loss_within_the_grace() -> None:
    a = book({0: line(5, first_ms=90), 100: line(5, first_ms=150)})
    b = book({0: line(4, first_ms=90), 100: line(1, first_ms=120)})
    assert states(a, b) == {0: "missing", 100: "open"}
    assert states(a, b, CompareRules(100, grace=50)) == {0: "open", 100: "open"}


def test_a_second_that_has_nothing_has_lost_all_that_is_old() -> None:
    assert states(book({0: line(5)}), book({})) == {0: "missing"}
    assert behind_ms(book({0: line(5)}), book({})) == -1


def test_times_of_which_records_were_dropped_are_not_judged() -> None:
    a = book({0: line(5), 100: line(5)})
    assert states(a, book({}, dropped=[(0, 100)])) == {0: "partial", 100: "missing"}


def test_a_record_that_came_late_to_the_first_may_be_among_the_dropped_ones() -> None:
    a, b = book({100: line(5)}, dropped=[(101, 150)]), book({100: line(5), 200: line(5)})
    assert states(a, b) == {100: "equal", 200: "extra"}
    assert states(a, b, CompareRules(100, grace=60)) == {100: "equal", 200: "partial"}
    b = book({0: line(5), 100: line(5)})
    assert states(a, b) == {0: "extra", 100: "equal"}
    assert states(a, b, CompareRules(100, grace=5)) == {0: "partial", 100: "equal"}


def test_only_the_times_asked_for_are_compared() -> None:
    lines = {start: line(1) for start in (-1, 0, 100, 200)}
    rules = CompareRules(100, times=(150, 200))
    assert states(book(lines), book({}), rules) == {100: "missing"}


def test_lines_go_on_where_they_ended_and_partitions_add_up() -> None:
    parts = [{0: line(2, 7)}, {0: line(3, 8), 100: line(1)}]
    assert continued(*parts)[0][:3] == (5, 50, 15)
    assert across(parts)[0][:4] == (5, 50, 15, 0)
    assert total(across(parts))[:3] == (6, 60, 16)


def value(key: int, hash_: int, timestamp: int = 10, *, tombstone: bool = False) -> LastValue:
    return LastValue(key, 0, hash_, timestamp, tombstone)


def test_of_compacted_topics_the_last_values_count() -> None:
    a = [value(1, 1), value(2, 2), value(3, 3), value(4, 4, 20), value(5, 5), value(7, 1, 990)]
    b = [value(1, 1), value(3, 9), value(4, 8, 10), value(5, 6, 20), value(6, 6)]
    found = {(pair.a or pair.b).key: pair.state for pair in compare_keys(a, b, 500)}  # type: ignore[union-attr]
    assert found == {
        2: "missing", 3: "altered", 4: "missing", 5: "extra", 6: "extra", 7: "open",
    }  # fmt: skip


def test_a_deleted_key_is_as_one_that_is_not_there() -> None:
    assert not list(compare_keys([value(1, 1, tombstone=True)], [], 500))
    assert not list(compare_keys([], [value(1, 1, tombstone=True)], 500))
    gone, kept = [value(1, 1, 20, tombstone=True)], [value(1, 2)]
    assert [pair.state for pair in compare_keys(gone, kept, 500)] == ["missing"]
