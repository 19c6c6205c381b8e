"""``pko audit compare``: two tiers side by side."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from pykafka_ops.analysis.books.compare import CompareRules
from pykafka_ops.analysis.books.line import WIDTH
from pykafka_ops.analysis.conditions import Condition
from pykafka_ops.audit.book import AuditBook
from pykafka_ops.audit.collect import collect
from pykafka_ops.audit.comparing import CompareAsk, PartitionCompared, TierSide, compared
from pykafka_ops.audit.history import keep_run
from pykafka_ops.audit.records import PartitionEnd, details, identity, keys_at, place_of
from pykafka_ops.audit.rows import (
    FIELDS,
    bucket_row,
    finding_row,
    key_rows,
    partition_row,
    says_less,
)
from pykafka_ops.audit.source import AuditPlace, PartitionSource
from pykafka_ops.commands.audit.report import find_tier
from pykafka_ops.commands.audit.tiers_of import Opened, book_path, now_ms, wanted_topics
from pykafka_ops.commands.audit.words import moment_of, time_limits
from pykafka_ops.commands.framework.failures import item_error
from pykafka_ops.commands.framework.output import (
    PLACE,
    Cells,
    Column,
    ItemError,
    Table,
    numbers,
)
from pykafka_ops.commands.framework.renaming import renaming
from pykafka_ops.commands.framework.run import Result, Run
from pykafka_ops.commands.framework.watch import fail_on, met, watched
from pykafka_ops.errors import PkoError, UsageError

CHECK_FAILED: Final = 4
_BAD: Final = ("missing", "extra", "altered", "reordered")


def _counts(value: object) -> bool:
    return isinstance(value, int) and value > 0


_PARTITIONS: Final = (
    *PLACE,
    Column("state", bad=lambda value: value in _BAD),
    *numbers("records_a", "records_b"),
    *(Column(name, right=True, bad=_counts) for name in ("missing", "extra")),
    *(
        Column(name, right=True, optional=True, bad=_counts)
        for name in ("duplicates", "altered", "reordered")
    ),
    Column("pending", right=True),
    Column("differing", right=True),
    Column("buckets", right=True, wide=True),
    Column("partial", right=True, optional=True),
    Column("behind_ms", right=True),
)
_BUCKETS: Final = (
    *PLACE,
    Column("bucket", right=True),
    Column("state", bad=lambda value: value in _BAD),
    *numbers("records_a", "records_b", "bytes_a", "bytes_b"),
    Column("checksum_a", wide=True),
    Column("checksum_b", wide=True),
    Column("offsets_a", wide=True),
    Column("offsets_b", wide=True),
)
_RECORDS: Final = (
    *PLACE,
    Column("what", bad=lambda value: value != "pending"),
    Column("key"),
    *numbers("offset_a", "offset_b", "timestamp"),
    Column("timestamp_b", right=True, optional=True),
)


def compare(run: Run) -> Result:
    """A row for each partition, for each bucket or record that differs."""
    failing = fail_on(run, FIELDS, says_less)
    return watched(run, lambda: _compared(run, failing))


def _compared(run: Run, failing: Condition | None) -> Table:
    opened = Opened(run)
    books: list[AuditBook] = []
    try:
        sides = _sides(run, opened, books)
        ask = _ask(run, sides[0].tier.width)
        looks = _Looks(run, opened, sides, ask.renamed)
        results = [_result(run, found, looks) for found in compared(*sides, ask)]
    finally:
        opened.close()
        for book in books:
            book.close()
    if run.args.has("history"):
        _keep(run, results)
    if not results:
        raise UsageError("neither tier has such a topic: pko audit list shows what was counted")
    return _table(run, results, looks.errors, failing)


# --- which tiers ---------------------------------------------------------------------------------


def _sides(run: Run, opened: Opened, books: list[AuditBook]) -> tuple[TierSide, TierSide]:
    """Both tiers; directories are counted here and now."""
    names = run.args.text("a") or "", run.args.text("b") or ""
    kept: AuditBook | None = None
    sides: list[TierSide | None] = [None, None]
    for number, name in enumerate(names):
        if os.sep in name or os.path.isdir(name):
            continue
        if kept is None:
            kept = AuditBook(book_path(run), must_exist=True)
            books.append(kept)
        sides[number] = TierSide(kept, find_tier(kept, name))
    width = next((side.tier.width for side in sides if side is not None), WIDTH)
    wanted = wanted_topics(run.args)
    for number, name in enumerate(names):
        if sides[number] is None:
            book = AuditBook(":memory:")
            books.append(book)
            tier = book.put_tier(name, {"directories": [os.path.abspath(name)]}, width)
            of_b = number == 1 and (run.args.has("prefix") or run.args.has("rename"))
            source = opened.source(tier.source)
            found = collect(book, tier, source, (lambda _: True) if of_b else wanted)
            for item, error in found.failed.items():
                run.note(f"pko: {item}: {error}")
            sides[number] = TierSide(book, tier)
    a, b = sides
    assert a is not None and b is not None
    return a, b


def _ask(run: Run, width: int) -> CompareAsk:
    args = run.args
    times = time_limits(args, now_ms())
    rules = CompareRules(width, args.wait("grace") or 0, times)
    return CompareAsk(rules, wanted_topics(args), renaming(args), args.has("together"))


# --- reading again -------------------------------------------------------------------------------


class _Looks:
    """Reads partitions of both tiers again, where that is asked for."""

    def __init__(
        self,
        run: Run,
        opened: Opened,
        sides: tuple[TierSide, TierSide],
        renamed: Callable[[str], str],
    ) -> None:
        self.errors: list[ItemError] = []
        self.width = sides[0].tier.width
        self._opened, self._sides, self._renamed = opened, sides, renamed
        self.identity = identity(run.args.text("identify-by") or "key")
        self._known: dict[int, tuple[PartitionSource, Sequence[AuditPlace]]] = {}

    def ends(self, found: PartitionCompared) -> tuple[PartitionEnd, PartitionEnd]:
        """Where to read a partition. Raises PkoError."""
        a, b = found.topic, self._renamed(found.topic)
        return self._end(0, (a, found.partition)), self._end(1, (b, found.partition))

    def _end(self, number: int, key: tuple[str, int]) -> PartitionEnd:
        if number not in self._known:
            source = self._opened.source(self._sides[number].tier.source)
            self._known[number] = source, source.places(lambda name: True)[0]
        source, places = self._known[number]
        return PartitionEnd(source, place_of(places, key))


class _Result(NamedTuple):
    """A partition's row, the buckets and the records that differ."""

    row: Cells
    buckets: list[Cells]
    records: list[Cells]


def _result(run: Run, found: PartitionCompared, looks: _Looks) -> _Result:
    every = run.args.has("all")
    buckets = [bucket_row(pair) for pair in found.pairs if every or pair.state != "equal"]
    if not run.args.has("records") or not (found.wrong or found.keys):
        return _Result(partition_row(found, None), buckets, [])
    try:
        if found.partition < 0:
            raise UsageError("--records does not go with --together")
        ends = looks.ends(found)
        if found.compacted:
            return _Result(partition_row(found, None), buckets, _keys(run, found, ends))
        told = details(found, ends, looks.width, looks.identity)
    except PkoError as error:
        looks.errors.append(item_error(f"{found.topic}-{found.partition}", error))
        return _Result(partition_row(found, None), buckets, [])
    records = [finding_row(finding, told.keys) for finding in told.findings]
    return _Result(partition_row(found, told.findings), buckets, records)


def _keys(
    run: Run, found: PartitionCompared, ends: tuple[PartitionEnd, PartitionEnd]
) -> list[Cells]:
    pairs = found.keys[: run.args.number("most") or 100]
    named: dict[tuple[int, int], bytes | None] = {}
    for number in (0, 1):
        values = [pair.b if number else pair.a for pair in pairs]
        offsets = [value.offset for value in values if value is not None]
        for offset, key in keys_at(ends[number], offsets).items():
            named[number, offset] = key
    return list(key_rows(pairs, named))


# --- the answer ----------------------------------------------------------------------------------


def _table(
    run: Run,
    results: Sequence[_Result],
    errors: Sequence[ItemError],
    failing: Condition | None,
) -> Table:
    every, most = run.args.has("all"), run.args.number("most") or 100
    rows = [result.row for result in results]
    items = [
        {**r.row, "different_buckets": r.buckets[:most], "different_records": r.records[:most]}
        for r in results
    ]
    shown = [row for row in rows if every or row["state"] != "equal"]
    parts = Table("audit-compare", _PARTITIONS, shown)
    code, notes = _verdict(run, rows, failing)
    if run.args.has("records"):
        columns, fine, kind = (
            _RECORDS,
            [_of(r.row, one) for r in results for one in r.records],
            "record",
        )
    elif run.args.has("buckets"):
        columns, fine, kind = (
            _BUCKETS,
            [_of(r.row, one) for r in results for one in r.buckets],
            "bucket",
        )
    else:
        columns, fine, kind = _PARTITIONS, shown, ""
        if code and any(not row["detailed"] for row in rows):
            notes = (*notes, "--records shows which records differ")
    if kind and len(fine) > most:
        notes = (*notes, f"{len(fine) - most} {kind}s more; -n shows more of them")
    return Table(
        "audit-compare",
        columns,
        fine[:most] if kind else fine,
        items=items,
        errors=errors,
        notes=notes,
        above=parts if kind else None,
        exit_code=code or None,
    )


def _keep(run: Run, results: Sequence[_Result]) -> None:
    """``--history``."""
    place = {"topic", "partition"}
    parts: dict[str, list[Cells]] = {
        "partitions": [r.row for r in results],
        "buckets": [{**_at(r, place), **one} for r in results for one in r.buckets],
        "records": [{**_at(r, place), **one} for r in results for one in r.records],
    }
    source = [run.args.text("a") or "", run.args.text("b") or "", *run.args.texts("topic")]
    keep_run(run.args.text("history") or "", now_ms(), source, parts)


def _at(result: _Result, names: set[str]) -> Cells:
    return {name: result.row[name] for name in names}


def _of(row: Cells, one: Cells) -> Cells:
    """A bucket or record, and which partition it is of."""
    times = ("bucket",) if "bucket" in one else ("timestamp", "timestamp_b")
    shown = {key: moment_of(value) if key in times else value for key, value in one.items()}
    return {"topic": row["topic"], "partition": row["partition"], **shown}


def _verdict(
    run: Run,
    rows: Sequence[Cells],
    failing: Condition | None,
) -> tuple[int, tuple[str, ...]]:
    """The exit code, and what to say of it."""
    bad = [row for row in rows if row["state"] in _BAD]
    equal = sum(row["state"] == "equal" for row in rows)
    said = f"{len(rows)} partitions: {equal} agree, {len(bad)} differ"
    if failing is None:
        return CHECK_FAILED if bad else 0, (said,)
    lines = met(failing, rows, ("topic", "partition"))
    return CHECK_FAILED if lines else 0, (said, *lines)
