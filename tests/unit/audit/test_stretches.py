"""Logs counted in stretches against the same counted at once: the same books, to the last bit."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.analysis.books.compare import PartitionBook
from pykafka_ops.analysis.books.latest import LastValue
from pykafka_ops.audit.book import AuditBook
from pykafka_ops.audit.collect import Collected, CollectResult, collect
from pykafka_ops.audit.files import AuditedFiles
from pykafka_ops.audit.stretched import StretchedSource
from pykafka_ops.audit.stretches import AuditStretch, FolderReader
from pykafka_ops.disk.checkpoint import format_offsets
from tests.support.kept_logs import append_log, in_batches, write_log
from tests.support.logs_by_chance import end_of, random_batches

WIDTH = 1000
NOW = 99_000


class Reader(FolderReader):
    """With stretches so small that a test has many of them."""

    least, most = 300, 900


class Sequential:
    """One after the other, as another process would see the work."""

    parallel = 3

    def __init__(self) -> None:
        self.tasks = 0

    def run(
        self,
        work: Callable[[Sequence[AuditStretch]], Iterable[Any]],
        tasks: Sequence[Sequence[AuditStretch]],
    ) -> Iterator[Any]:
        for task in tasks:
            self.tasks += 1
            again: Callable[[Sequence[AuditStretch]], Iterable[Any]] = pickle.loads(
                pickle.dumps(work)
            )
            yield from pickle.loads(pickle.dumps(list(again(pickle.loads(pickle.dumps(task))))))


class Counted:
    """A book in memory, counted by either engine."""

    def __init__(self, folder: Path, *, in_stretches: bool) -> None:
        self.book, self.workers = AuditBook(":memory:"), Sequential()
        self.tier = self.book.put_tier("t", {}, WIDTH)
        files = AuditedFiles([str(folder)], lambda: NOW)
        self.source = (
            StretchedSource(
                files, lambda places: Reader({p.key: files.folder(p.key) for p in places}),
                self.workers,
            )
            if in_stretches
            else files
        )  # fmt: skip

    def collect(self) -> CollectResult:
        return collect(self.book, self.tier, self.source, lambda topic: True)

    def whole(self) -> dict[tuple[object, ...], tuple[PartitionBook, list[LastValue]]]:
        """All that the book says."""
        return {
            place[1:]: (self.book.book(place), list(self.book.latest(place)))
            for place in self.book.places(self.tier)
        }


def both(folder: Path) -> tuple[Counted, Counted]:
    return Counted(folder, in_stretches=False), Counted(folder, in_stretches=True)


def rows(result: CollectResult) -> list[Collected]:
    """What was new; of compacted partitions without how many keys, which counts those again that
    came in several pieces."""
    return [row._replace(records=0) if row.compacted else row for row in result.rows]


@pytest.mark.parametrize("seed", range(12))
def test_random_logs_are_counted_the_same_run_by_run(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    one, two = both(tmp_path)
    places = {}
    for name in ("orders-0", "orders-1", "users-0"):
        batches = random_batches(chance, chance.choice((0, 77)), chance.randrange(5, 60))
        bases = sorted(int.from_bytes(b[:8], "big") for b in batches)
        segments = sorted({bases[0], *chance.sample(bases, min(3, len(bases)))})
        places[name] = write_log(tmp_path, name, batches, segments=segments), end_of(batches)
    if seed % 2:
        compacted = {("users", 0): 1}
        (tmp_path / "cleaner-offset-checkpoint").write_text(format_offsets(compacted))
    if seed % 3 == 0:
        noted = {("orders", 0): places["orders-0"][1] // 2}
        (tmp_path / "replication-offset-checkpoint").write_text(format_offsets(noted))
    for turn in range(3):
        results = one.collect(), two.collect()
        assert rows(results[0]) == rows(results[1])
        assert not results[0].failed and not results[1].failed
        assert one.whole() == two.whole()
        for name, (place, end) in places.items():
            if turn < 2:
                more = random_batches(chance, end, chance.randrange(1, 20))
                append_log(place, more)
                places[name] = place, end_of(more)
        (tmp_path / "replication-offset-checkpoint").unlink(missing_ok=True)
    assert two.workers.tasks > 10


def test_a_bad_batch_stops_its_partition_at_the_same_place(tmp_path: Path) -> None:
    batches = in_batches([(n, b"k", b"v" * 50) for n in range(400)], 10)
    broken = bytearray(batches[17])
    broken[-1] ^= 1
    write_log(tmp_path, "orders-0", [*batches[:17], bytes(broken), *batches[18:]],
              segments=(0, 100, 300))  # fmt: skip
    write_log(tmp_path, "users-0", batches)
    one, two = both(tmp_path)
    results = one.collect(), two.collect()
    assert results[0].rows == results[1].rows
    assert (
        {k: str(e) for k, e in results[0].failed.items()}
        == {k: str(e) for k, e in results[1].failed.items()}
        != {}
    )
    lines = [{key[:6]: value[0].lines for key, value in c.whole().items()} for c in (one, two)]
    assert lines[0] == lines[1] != {}


def test_large_segments_are_cut_where_their_index_knows_batches(tmp_path: Path) -> None:
    batches = in_batches([(n, b"k", b"v" * 50) for n in range(400)], 10)
    place = write_log(tmp_path, "orders-0", batches)
    from pykafka_ops.disk.index import OffsetIndex

    index, position = OffsetIndex(0), 0
    for number, batch in enumerate(batches):
        if number:
            index.append(number * 10 + 9, position)
        position += len(batch)
    (place / f"{0:020d}.index").write_bytes(index.to_bytes())
    one, two = both(tmp_path)
    one.collect()
    two.collect()
    assert one.whole() == two.whole()
    assert two.workers.tasks > 10


def test_an_index_that_lies_changes_nothing(tmp_path: Path) -> None:
    batches = in_batches([(n, b"k", b"v" * 50) for n in range(400)], 10)
    place = write_log(tmp_path, "orders-0", batches)
    (place / f"{0:020d}.index").write_bytes(random.Random(4).randbytes(800))
    one, two = both(tmp_path)
    one.collect()
    two.collect()
    assert one.whole() == two.whole()
