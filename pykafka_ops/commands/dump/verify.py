"""``pko dump-log verify``: is what lies on disk whole and consistent?

A log is checked batch by batch (CRC, format, offsets that rise, record counts), an index against
its log, every other file by its own rules. Stricter than Kafka's tool where that looks away, and
milder where it sees problems that are none: an index entry may name any offset of its batch, and
the zeros behind the entries of a live broker's index are fine (KAFKA-7487).
"""

from __future__ import annotations

import os
from bisect import bisect_right

from pykafka_ops.commands._output import Column, Table, counted
from pykafka_ops.commands.dump.file import LogFile, load
from pykafka_ops.commands.dump.items import items
from pykafka_ops.commands.dump.java import JavaError, first_number
from pykafka_ops.commands.dump.legacy import message_header, message_records
from pykafka_ops.commands.dump.paths import expand, kind_of
from pykafka_ops.commands.dump.records import batch_header, plain_records
from pykafka_ops.disk.batch import check_crc
from pykafka_ops.disk.index import (
    OffsetIndex,
    TimeIndex,
    check_offset_index,
    check_time_index,
    used_bytes,
)
from pykafka_ops.disk.legacy import check_message_crc
from pykafka_ops.disk.txn_index import check_txn_index
from pykafka_ops.disk.walk import walk
from pykafka_ops.errors import CorruptError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pykafka_ops.commands._context import Context
    from pykafka_ops.disk.batch import BatchHeader

    Found = tuple[int, list[str]]

_COLUMNS = (
    Column("file"),
    Column("kind"),
    Column("entries", right=True),
    Column("problem", bad=bool),
)
CHECK_FAILED = 4


class _Batches:
    """Where the batches of a log are: position, first and last offset, latest timestamp."""

    def __init__(self) -> None:
        self.positions: list[int] = []
        self.firsts: list[int] = []
        self.lasts: list[int] = []
        self.times: list[int] = []


def verify(ctx: Context) -> Table:
    """Check every file; exit code 4 where there is a problem.

    The table has the files with problems, ``-o wide`` and the other formats have all.
    """
    rows: list[dict[str, object]] = []
    found: list[dict[str, object]] = []
    logs: dict[str, _Batches] = {}
    for path in expand(ctx.args.texts("files")):
        kind = kind_of(path)
        count, problems = _check(path, kind, logs)
        shown = problems[0] if problems else ""
        if len(problems) > 1:
            shown += f" (and {len(problems) - 1} more)"
        rows.append({"file": path, "kind": kind or "unknown", "entries": count, "problem": shown})
        found.append({"file": path, "kind": kind, "entries": count, "problems": problems})
    bad = sum(1 for item in found if item["problems"])
    if ctx.output == "table":
        rows = [row for row in rows if row["problem"]]
    note = f"{counted(found, 'file')} checked, {bad} with problems"
    return Table(
        "log-verification",
        _COLUMNS,
        rows,
        items=found,
        notes=(note,),
        exit_code=CHECK_FAILED if bad else 0,
    )


def _check(path: str, kind: str, logs: dict[str, _Batches]) -> Found:
    try:
        if kind == "log":
            return _log(path, _shared(logs, path))
        checker = _CHECKS.get(kind)
        if checker is not None:
            return checker(path, logs)
        if not kind:
            return 0, ["not a file that dump-log knows"]
        return sum(1 for _ in items(path, deep=False, content=None, max_bytes=0)), []
    except (JavaError, CorruptError) as e:
        return 0, [str(e)]


def _stem(path: str) -> str:
    folder, name = os.path.split(path)
    return os.path.join(folder, name.partition(".")[0])


def _shared(logs: dict[str, _Batches], path: str) -> _Batches:
    """The place where the batches of this segment's log are remembered."""
    return logs.setdefault(_stem(path), _Batches())


def _batches_of(path: str, logs: dict[str, _Batches]) -> _Batches:
    """The batches of the log beside an index; read now unless the log was checked before."""
    stem = _stem(path)
    if stem not in logs:
        _log(f"{stem}.log", _shared(logs, path), deep=False)
    return logs[stem]


def _log(path: str, seen: _Batches, *, deep: bool = True) -> Found:
    log, problems = LogFile(path), []
    name = os.path.basename(path)
    last = -1 if name.endswith(".checkpoint") else first_number(name) - 1
    end = 0
    try:
        for position, size, magic in log.batches(0, log.size):
            end = position + size
            where = f"at position {position}"
            try:
                first, latest, time, reason = _batch(log, position, magic, deep=deep)
            except (JavaError, CorruptError) as e:
                problems.append(f"{where}: {e}")
                continue
            if reason:
                problems.append(f"{where}: {reason}")
            if first <= last:
                problems.append(f"{where}: offset {first} after {last}")
            last = max(last, latest)
            seen.positions.append(position)
            seen.firsts.append(first)
            seen.lasts.append(latest)
            seen.times.append(time)
    except JavaError as e:
        problems.append(f"at position {end}: {e}")
    else:
        if end < log.size:
            problems.append(f"{log.size - end} bytes after the last whole batch")
    return len(seen.positions), problems


def _batch(log: LogFile, position: int, magic: int, *, deep: bool) -> tuple[int, int, int, str]:
    """(first offset, last offset, latest timestamp, what is wrong)."""
    if magic < 2:
        return _message(log, position, deep=deep)
    if magic > 2:
        raise CorruptError(f"unknown magic {magic}")
    header = batch_header(log, position, magic)
    span = (header.base_offset, header.last_offset, header.max_timestamp)
    if not check_crc(log.data[position : position + header.size], 0, header):
        return *span, f"wrong CRC (stored {header.crc})"
    return *span, _records(log, position, header) if deep else ""


def _records(log: LogFile, position: int, header: BatchHeader) -> str:
    """What is wrong with the records of a batch whose CRC is right."""
    previous = header.base_offset - 1
    for span in walk(plain_records(log, position, header), header):
        if not previous < span[0] <= header.last_offset:
            return f"record offset {span[0]} after {previous} in a batch up to {header.last_offset}"
        previous = span[0]
    return ""


def _message(log: LogFile, position: int, *, deep: bool) -> tuple[int, int, int, str]:
    header = message_header(log, position)
    data = log.data[position : position + header.size]
    span = (header.offset, header.offset, header.timestamp)
    if not check_message_crc(data, 0, header):
        return *span, f"wrong CRC (stored {header.crc})"
    if not deep and not header.attributes & 7:
        return *span, ""
    records = list(message_records(log, position, header))
    bad = [record.offset for record in records if not record.valid or record.fault]
    reason = f"wrong CRC of the message at offset {bad[0]}" if bad else ""
    return records[0].offset, header.offset, header.timestamp, reason


def _index(path: str, logs: dict[str, _Batches]) -> Found:
    data, base = load(path)[:], first_number(os.path.basename(path))
    problems = _sane(lambda: check_offset_index(data, base, path))
    index, seen = OffsetIndex(base, data[: used_bytes(data, 8)]), _batches_of(path, logs)
    previous = -1
    for n in range(len(index)):
        offset, position = index.entry(n)
        at = bisect_right(seen.positions, position) - 1
        if at < 0 or seen.positions[at] != position:
            problems.append(f"entry {n}: no batch begins at position {position}")
        elif not seen.firsts[at] <= offset <= seen.lasts[at]:
            problems.append(
                f"entry {n}: offset {offset}, but the batch at position {position} has "
                f"{seen.firsts[at]} to {seen.lasts[at]}"
            )
        if offset <= previous:
            problems.append(f"entry {n}: offset {offset} after {previous}")
        previous = offset
    return len(index), problems


def _time_index(path: str, logs: dict[str, _Batches]) -> Found:
    data, base = load(path)[:], first_number(os.path.basename(path))
    used = data[: used_bytes(data, 12)]
    problems = _sane(lambda: check_time_index(used, base, path))
    if len(data) % 12:
        problems += _sane(lambda: check_time_index(data, base, path))[:1]
    times, seen = TimeIndex(base, used), _batches_of(path, logs)
    previous = (-1, -1)
    for n in range(len(times)):
        entry = timestamp, offset = times.entry(n)
        at = bisect_right(seen.firsts, offset) - 1
        if at < 0 or offset > seen.lasts[at]:
            problems.append(f"entry {n}: offset {offset} is not in the log")
        elif seen.times[at] != timestamp:
            problems.append(
                f"entry {n}: timestamp {timestamp}, but the batch with offset {offset} has "
                f"{seen.times[at]}"
            )
        if n and (timestamp <= previous[0] or offset < previous[1]):
            problems.append(f"entry {n}: timestamp {timestamp} after {previous[0]}")
        previous = entry
    return len(times), list(dict.fromkeys(problems))


def _txn_index(path: str, logs: dict[str, _Batches]) -> Found:
    data = load(path)[:]
    problems = _sane(lambda: check_txn_index(data, first_number(os.path.basename(path)), path))
    if len(data) % 34:
        problems.append(f"{len(data) % 34} bytes after the last whole entry")
    return len(data) // 34, problems


def _sane(check: Callable[[], None]) -> list[str]:
    try:
        check()
    except CorruptError as e:
        return [str(e)]
    return []


_CHECKS: dict[str, Callable[[str, dict[str, _Batches]], Found]] = {
    "index": _index,
    "timeindex": _time_index,
    "txnindex": _txn_index,
}
