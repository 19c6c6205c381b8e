"""Log directories counted into a book, run by run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.analysis.books.line import BookLine
from pykafka_ops.audit.book import AuditBook, Tier
from pykafka_ops.audit.collect import CollectResult, collect
from pykafka_ops.audit.files import AuditedFiles
from pykafka_ops.disk.checkpoint import format_offsets, format_partition_metadata
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.legacy import build_messages
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import StorageError, UsageError
from tests.support.kept_logs import Sent, append_log, in_batches, transaction, write_log

WIDTH = 1000
SENT: list[Sent] = [(n * 10, b"k%d" % (n % 7), b"value-%d" % n) for n in range(400)]


@pytest.fixture
def book() -> Iterator[AuditBook]:
    with AuditBook(":memory:") as found:
        yield found


def count(book: AuditBook, folder: Path, name: str = "t", now: int = 99_000) -> CollectResult:
    tier = book.put_tier(name, {}, WIDTH)
    return collect(book, tier, AuditedFiles([str(folder)], lambda: now), lambda topic: True)


def lines(book: AuditBook, name: str = "t", topic: str = "orders") -> dict[int, BookLine]:
    tier = book.tier(name)
    assert tier is not None
    place = book.place(tier, topic, 0)
    assert place is not None
    return dict(book.book(place).lines)


def without_offsets(some: dict[int, BookLine]) -> dict[int, tuple[int, ...]]:
    return {start: line[:4] for start, line in some.items()}


def test_segments_and_batches_are_counted_once(tmp_path: Path, book: AuditBook) -> None:
    write_log(tmp_path, "orders-0", in_batches(SENT), segments=(0, 150, 300))
    (row,) = count(book, tmp_path).rows
    assert (row.records, row.first, row.next) == (400, 0, 400)
    assert {start: line.records for start, line in lines(book).items()} == dict.fromkeys(
        range(0, 4000, 1000), 100
    )
    assert count(book, tmp_path).rows[0].records == 0


def test_a_book_that_went_on_is_that_of_a_log_read_at_once(tmp_path: Path, book: AuditBook) -> None:
    batches = in_batches(SENT, 13)
    place = write_log(tmp_path / "a", "orders-0", batches[:10])
    count(book, tmp_path / "a")
    append_log(place, batches[10:])
    count(book, tmp_path / "a")
    write_log(
        tmp_path / "b",
        "orders-0",
        in_batches(SENT, 50, base=1000, codec=Codec.ZSTD),
        segments=(1000,),
    )
    count(book, tmp_path / "b", "other")
    assert without_offsets(lines(book)) == without_offsets(lines(book, "other"))


def test_aborted_transactions_and_markers_do_not_count(tmp_path: Path, book: AuditBook) -> None:
    batches = [
        *in_batches(SENT[:50]),
        *transaction(SENT[50:60], 50, 1),
        *transaction(SENT[60:70], 61, 2, ends=False),
        *in_batches(SENT[70:80], base=72),
    ]
    write_log(tmp_path, "orders-0", batches)
    count(book, tmp_path)
    write_log(tmp_path / "plain", "orders-0", in_batches([*SENT[:60], *SENT[70:80]]))
    count(book, tmp_path / "plain", "plain")
    assert without_offsets(lines(book)) == without_offsets(lines(book, "plain"))


def test_counting_stops_before_an_open_transaction_and_goes_on_when_it_ends(
    tmp_path: Path, book: AuditBook
) -> None:
    place = write_log(
        tmp_path, "orders-0",
        [*in_batches(SENT[:50]), *transaction(SENT[50:60], 50, 1, ends=None),
         *in_batches(SENT[60:70], base=60)],
    )  # fmt: skip
    assert count(book, tmp_path).rows[0][2:6] == (50, sum_bytes(book), 0, 50)
    from tests.support.kept_logs import marker

    append_log(place, [marker(70, 1, True)])
    assert count(book, tmp_path).rows[0].records == 20
    assert sum(line.records for line in lines(book).values()) == 70


def sum_bytes(book: AuditBook) -> int:
    return sum(line.bytes for line in lines(book).values())


def test_what_is_above_the_committed_offset_waits(tmp_path: Path, book: AuditBook) -> None:
    write_log(tmp_path, "orders-0", in_batches(SENT))
    noted = tmp_path / "replication-offset-checkpoint"
    noted.write_text(format_offsets({("orders", 0): 250}))
    assert count(book, tmp_path).rows[0].records == 250
    noted.write_text(format_offsets({("orders", 0): 400}))
    assert count(book, tmp_path).rows[0].records == 150


def test_a_torn_tail_is_left_for_later(tmp_path: Path, book: AuditBook) -> None:
    batches = in_batches(SENT)
    place = write_log(tmp_path, "orders-0", [*batches[:3], batches[3][:-5]])
    assert count(book, tmp_path).rows[0].records == 150
    append_log(place, [batches[3][-5:], *batches[4:]])
    assert count(book, tmp_path).rows[0].records == 250


def test_a_damaged_batch_stops_its_partition_alone_and_is_named(
    tmp_path: Path, book: AuditBook
) -> None:
    batches = in_batches(SENT)
    broken = bytearray(batches[2])
    broken[70] ^= 0xFF
    write_log(tmp_path, "orders-0", [*batches[:2], bytes(broken), *batches[3:]])
    write_log(tmp_path, "users-0", batches)
    found = count(book, tmp_path)
    assert [row.records for row in found.rows] == [100, 400]
    assert "offset 100" in str(found.failed["orders-0"])


def test_records_that_were_deleted_leave_their_time_unjudged(
    tmp_path: Path, book: AuditBook
) -> None:
    write_log(tmp_path, "orders-0", in_batches(SENT[250:], base=250), segments=(250,))
    count(book, tmp_path)
    tier = book.tier("t")
    assert isinstance(tier, Tier)
    place = book.place(tier, "orders", 0)
    assert place is not None and place.first == 250
    assert list(book.book(place).dropped) == [(0, 2501)]


def test_records_deleted_between_two_runs_are_told(tmp_path: Path, book: AuditBook) -> None:
    batches = in_batches(SENT)
    place = write_log(tmp_path, "orders-0", batches[:2])
    count(book, tmp_path)
    for old in place.glob("*.log"):
        old.unlink()
    write_log(tmp_path, "orders-0", batches[5:], segments=(250,))
    found = count(book, tmp_path)
    assert "offsets 100 to 249 were deleted" in found.notes[0]
    assert sum(line.records for line in lines(book).values()) == 250


def test_a_topic_made_anew_is_counted_anew(tmp_path: Path, book: AuditBook) -> None:
    place = write_log(tmp_path, "orders-0", in_batches(SENT))
    (place / "partition.metadata").write_text(format_partition_metadata(b"1" * 16))
    count(book, tmp_path)
    (place / "partition.metadata").write_text(format_partition_metadata(b"2" * 16))
    assert "made anew" in count(book, tmp_path).notes[0]
    assert sum(line.records for line in lines(book).values()) == 400


def test_a_log_that_was_cut_is_counted_anew(tmp_path: Path, book: AuditBook) -> None:
    batches = in_batches(SENT)
    write_log(tmp_path, "orders-0", batches)
    count(book, tmp_path)
    write_log(tmp_path, "orders-0", batches[:4])
    assert "ends at offset 200" in count(book, tmp_path).notes[0]
    assert sum(line.records for line in lines(book).values()) == 200


def test_of_compacted_logs_the_last_value_of_each_key_is_kept(
    tmp_path: Path, book: AuditBook
) -> None:
    write_log(tmp_path, "orders-0", in_batches([*SENT, (9000, b"k3", None)]))
    (tmp_path / "cleaner-offset-checkpoint").write_text(format_offsets({("orders", 0): 10}))
    (row,) = count(book, tmp_path).rows
    assert row.compacted
    tier = book.tier("t")
    assert tier is not None
    place = book.place(tier, "orders", 0)
    assert place is not None
    assert book.count_keys(place) == 6
    assert [value.offset for value in book.latest(place) if value.tombstone] == [400]


def test_of_several_directories_the_longest_log_counts(tmp_path: Path, book: AuditBook) -> None:
    write_log(tmp_path / "1", "orders-0", in_batches(SENT[:100]))
    write_log(tmp_path / "2", "orders-0", in_batches(SENT))
    tier = book.put_tier("t", {}, WIDTH)
    source = AuditedFiles([str(tmp_path / "1"), str(tmp_path / "2")], lambda: 0)
    assert [row.records for row in collect(book, tier, source, lambda _: True).rows] == [400]


def test_a_run_that_is_killed_anywhere_counts_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pykafka_ops.audit.files._SETTLE", 1)
    monkeypatch.setattr("pykafka_ops.audit.files._STRIDE", 4096)
    write_log(tmp_path / "logs", "orders-0", in_batches(SENT), segments=(0, 200))
    path = str(tmp_path / "book.db")
    with AuditBook(":memory:") as whole:
        count(whole, tmp_path / "logs")
        wanted = lines(whole)
    runs, own_keep = 0, AuditBook.keep
    while True:
        with AuditBook(path) as opened, monkeypatch.context() as killed:
            left = [1]

            def keep(self: AuditBook, *asked: Any, left: list[int] = left) -> None:
                if not left.pop():
                    raise KeyboardInterrupt
                left.append(0)
                own_keep(self, *asked)

            killed.setattr(AuditBook, "keep", keep)
            runs += 1
            try:
                count(opened, tmp_path / "logs")
            except KeyboardInterrupt:
                continue
            assert lines(opened) == wanted
            break
    assert runs > 2


def test_two_runs_at_once_count_nothing_twice(tmp_path: Path) -> None:
    write_log(tmp_path / "logs", "orders-0", in_batches(SENT))
    path = str(tmp_path / "book.db")
    with AuditBook(path) as one, AuditBook(path) as other:
        tier = one.put_tier("t", {}, WIDTH)

        class Slow(AuditedFiles):
            def read(self, *asked: Any) -> Any:
                count(other, tmp_path / "logs")  # comes and goes while the first has begun
                return super().read(*asked)

        source = Slow([str(tmp_path / "logs")], lambda: 0)
        with pytest.raises(StorageError, match=r"another pko audit collect counts orders-0"):
            collect(one, tier, source, lambda _: True)
        assert sum(line.records for line in lines(one).values()) == 400


def test_what_is_no_log_directory_is_refused(tmp_path: Path, book: AuditBook) -> None:
    with pytest.raises(UsageError, match="no partitions there"):
        count(book, tmp_path)


def test_logs_of_old_formats_count_as_those_of_today(tmp_path: Path, book: AuditBook) -> None:
    some = [Record(n, *sent) for n, sent in enumerate(SENT[:40])]
    old = [build_messages([one], 1) for one in some[:20]]
    packed = build_messages(some[20:38], 1, codec=Codec.GZIP)
    write_log(tmp_path, "orders-0", [*old, packed, *(build_messages([r], 1) for r in some[38:])])
    assert count(book, tmp_path).rows[0].records == 40
    write_log(tmp_path / "new", "orders-0", in_batches(SENT[:40]))
    count(book, tmp_path / "new", "new")
    assert without_offsets(lines(book)) == without_offsets(lines(book, "new"))


def test_timestamps_that_nobody_can_mean_are_counted(tmp_path: Path, book: AuditBook) -> None:
    some: list[Sent] = [(time, b"k", b"v") for time in (-7, 2**62, 2**63 - 1)]
    write_log(tmp_path, "orders-0", in_batches(some, 1))
    assert count(book, tmp_path).rows[0].records == 3
    found = lines(book)
    assert [line.records for line in found.values()] == [1, 2]
    assert found[-1].last_ms == -7


def test_a_single_short_message_is_a_log(tmp_path: Path, book: AuditBook) -> None:
    write_log(tmp_path, "orders-0", [build_messages([Record(0, -1, None, b"v")], 0)])
    assert count(book, tmp_path).rows[0].records == 1
    assert list(lines(book)) == [-1]
