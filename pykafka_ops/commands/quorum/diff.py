"""``pko quorum diff``: what records between two offsets of a metadata log changed, and when."""

from __future__ import annotations

import json
from collections.abc import Iterator

from pykafka_ops.analysis.moments import moment_text
from pykafka_ops.commands.framework.output import Cells, Column, Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.quorum.image.files import metadata_files
from pykafka_ops.commands.quorum.image.replay import END, DatedChange, MetadataReplay
from pykafka_ops.errors import UsageError

COLUMNS = (
    Column("offset", right=True),
    Column("time"),
    Column("path"),
    Column("before"),
    Column("after"),
)
MOST = 1_000_000
"""Changes that are shown at once, as they are kept in memory."""

_WIDTH = 48
"""Characters of a value with parts in a table."""


def diff(run: Run) -> Table:
    """A row per thing that changed; exit code 4 where files are damaged."""
    args = run.args
    replay = MetadataReplay(metadata_files(args.text("directory") or ""))
    first, end = args.number("from"), args.number("to")
    if first is None:
        first = min([s.end for s in replay.files.snapshots], default=0)
        if replay.files.segments and replay.files.segments[0].base == 0:
            first = 0
    if end is not None and end < first:
        raise UsageError(f"--to {end} is before --from {first}")
    replay.load(first)
    for _ in replay.run(first):
        pass
    replay.state.journal = []
    rows: list[Cells] = []
    for row in _rows(replay.run(END if end is None else end), run.output):
        if len(rows) == MOST:
            raise UsageError(f"more than {MOST} changes: give --from and --to nearer to each other")
        rows.append(row)
    return Table(
        "metadata-changes", COLUMNS, rows, name="path",
        notes=[f"pko: {note}" for note in replay.notes],
        exit_code=4 if replay.damaged else None,
    )  # fmt: skip


def _rows(changes: Iterator[DatedChange], form: str) -> Iterator[Cells]:
    for offset, time, (path, before, after) in changes:
        yield {
            "offset": offset,
            "time": moment_text(time),
            "path": "/" + "/".join(path),
            "before": _shown(before, form),
            "after": _shown(after, form),
        }


def _shown(value: object, form: str) -> object:
    """What people see is JSON where it has parts, and cut off in a table."""
    if form not in ("table", "wide") or not isinstance(value, dict):
        return value
    text = json.dumps(value, ensure_ascii=False)
    return text if form == "wide" or len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"
