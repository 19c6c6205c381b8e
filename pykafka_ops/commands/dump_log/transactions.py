"""``pko dump-log transactions``: what transactions a partition's log holds, and how they ended."""

from __future__ import annotations

from pykafka_ops.commands.dump_log.log_file import LogFile
from pykafka_ops.commands.dump_log.paths import expand, kind_of
from pykafka_ops.commands.dump_log.printing.records import batch_header, plain_records
from pykafka_ops.commands.framework.output import Column, Table, counted
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.control import read_marker
from pykafka_ops.disk.record import Record
from pykafka_ops.disk.walk import walk

Row = dict[str, object]

_COLUMNS = (
    Column("producer_id", right=True),
    Column("producer_epoch", "EPOCH", right=True),
    Column("state", bad=lambda value: value == "open"),
    Column("first_offset", right=True),
    Column("last_offset", right=True),
    Column("records", right=True),
    Column("started", right=True, wide=True),
    Column("duration_ms", right=True),
    Column("coordinator_epoch", right=True, wide=True),
    Column("partition", wide=True),
)


def transactions(run: Run) -> Table:
    """One row for each transaction, in the order of their first offsets; the open ones too."""
    rows: list[Row] = []
    open_now: dict[tuple[str, int], Row] = {}
    for path in expand(run.args.texts("files")):
        if kind_of(path) == "log":
            _log(path, rows, open_now)
    if run.args.has("open"):
        rows = [row for row in rows if row["state"] == "open"]
    rows.sort(key=lambda row: (str(row["partition"]), _number(row["first_offset"])))
    hanging = [row for row in rows if row["state"] == "open"]
    return Table(
        "log-transactions",
        _COLUMNS,
        rows,
        notes=(f"{counted(rows, 'transaction')}, {len(hanging)} open",),
    )


def _number(value: object) -> int:
    return value if isinstance(value, int) else -1


def _log(path: str, rows: list[Row], open_now: dict[tuple[str, int], Row]) -> None:
    """The transactional batches of one segment."""
    log, folder = LogFile(path), path.rpartition("/")[0] or "."
    for position, _, magic in log.batches(0, log.size):
        if magic != 2:
            continue
        header = batch_header(log, position, magic)
        if not header.is_transactional:
            continue
        key = (folder, header.producer_id)
        if header.is_control:
            row = open_now.pop(key, None) or _begin(header, folder, rows)
            _end(row, header, plain_records(log, position, header))
        else:
            row = open_now.get(key) or _begin(header, folder, rows)
            open_now[key] = row
            row["last_offset"] = header.last_offset
            row["records"] = _number(row["records"]) + header.record_count


def _begin(header: BatchHeader, folder: str, rows: list[Row]) -> Row:
    row: Row = {
        "producer_id": header.producer_id,
        "producer_epoch": header.producer_epoch,
        "state": "open",
        "first_offset": header.base_offset,
        "last_offset": header.last_offset,
        "records": 0,
        "started": header.base_timestamp,
        "duration_ms": None,
        "coordinator_epoch": None,
        "partition": folder,
    }
    rows.append(row)
    return row


def _end(row: Row, header: BatchHeader, data: bytes) -> None:
    """The marker: how and when the transaction ended."""
    for _, time, _, key_at, key_size, value_at, value_size, _ in walk(data, header):
        key = data[key_at : key_at + max(key_size, 0)]
        marker = read_marker(Record(0, time, key, data[value_at : value_at + max(value_size, 0)]))
        row["state"] = {0: "aborted", 1: "committed"}[marker.type]
        row["coordinator_epoch"] = marker.coordinator_epoch
        if row["records"]:
            row["duration_ms"] = time - _number(row["started"])
        row["last_offset"] = header.last_offset
