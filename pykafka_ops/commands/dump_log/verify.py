"""``pko dump-log verify``: is what lies on disk whole and consistent?

A directory is one piece of work (``checking/partition.py``); as many processes as there are
processors check several. Stricter than Kafka's tool where that looks away, and milder where it sees
problems that are none: an index entry may name any offset of its batch, and the zeros behind the
entries of a live broker's index are fine (KAFKA-7487).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from pykafka_ops.commands.dump_log.checking.partition import How, PartitionCheck
from pykafka_ops.commands.dump_log.checking.report import FileReport
from pykafka_ops.commands.dump_log.paths import CheckJob, jobs_of
from pykafka_ops.commands.framework.output import Column, Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import UsageError

_COLUMNS = (
    Column("file"),
    Column("kind"),
    Column("size", right=True, wide=True),
    Column("entries", right=True),
    Column("problem", bad=bool),
)
CHECK_FAILED = 4


def verify(run: Run) -> int | Table:
    """Check every file; exit code 4 where there is a problem.

    The table has the files with problems, ``-o wide`` and the other formats have all. JSON comes as
    lines while the work goes on: one object a file, then one of kind "summary".
    """
    how = How(run.args.has("deep-iteration"), run.args.has("keep-going"))
    paths = run.args.texts("files")
    jobs = jobs_of(paths)
    if not jobs:
        raise UsageError(f"nothing to check in {', '.join(paths)}")
    found = _Found()
    form = run.output
    rows: list[dict[str, object]] = []
    for reports in _run(jobs, how, _wanted(run, jobs)):
        for report in reports:
            found.add(report)
            if form == "json":
                _line(report.item())
            elif report.problems or form != "table":
                rows.append(_row(report))
    if form == "json":
        _line(found.summary())
        return CHECK_FAILED if found.bad else 0
    return Table(
        "log-verification",
        _COLUMNS,
        rows,
        notes=(*found.notes, found.note()),
        exit_code=CHECK_FAILED if found.bad else 0,
    )


class _Found:
    """Sums over all files."""

    def __init__(self) -> None:
        self.files = self.bad = self.size = 0
        self.notes: list[str] = []

    def add(self, report: FileReport) -> None:
        self.files += 1
        self.size += report.size
        self.bad += bool(report.problems)
        damage = report.damage
        if damage is None:
            return
        behind = report.readable()
        text = f"nothing behind it can be read, {report.size - damage.position} bytes"
        if behind:
            again = f", from position {damage.resumes} on" if damage.resumes >= 0 else ""
            text = f"{_plural(behind, 'batch', 'batches')} behind it can still be read{again}"
        if damage.partial:
            text += " (too much looks like batches to search it to the end)"
        self.notes.append(
            f"{report.file}: damaged from position {damage.position} on, offset {damage.offset}; "
            f"{_plural(damage.batches, 'batch', 'batches')} before it are sound, {text}"
        )

    def note(self) -> str:
        return f"{_plural(self.files, 'file', 'files')} checked, {self.bad} with problems"

    def summary(self) -> dict[str, object]:
        return {"kind": "summary", "files": self.files, "damaged": self.bad, "size": self.size}


def _plural(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def _row(report: FileReport) -> dict[str, object]:
    shown = report.problems[0] if report.problems else ""
    if report.count > 1:
        shown += f" (and {report.count - 1} more)"
    return {
        "file": report.file,
        "kind": report.kind or "unknown",
        "size": report.size,
        "entries": report.entries,
        "problem": shown,
    }


def _line(item: dict[str, object]) -> None:
    import json

    sys.stdout.write(json.dumps(item, ensure_ascii=False, separators=(",", ":")) + "\n")


# -- one process or several ----------------------------------------------------------------------

#: Below that many bytes starting processes takes longer than the work.
_WORTH_IT = 64 << 20


def _wanted(run: Run, jobs: list[CheckJob]) -> int:
    """How many processes."""
    given = run.args.number("workers")
    if given is not None:
        return given
    if len(jobs) < 2 or sum(job.size for job in jobs) < _WORTH_IT:
        return 1
    return min(len(jobs), os.cpu_count() or 1)


def _run(jobs: list[CheckJob], how: How, workers: int) -> Iterator[list[FileReport]]:
    """The reports of every directory, in order."""
    from pykafka_ops.commands.framework.progress import ProgressBar

    with ProgressBar(sum(job.size for job in jobs), "verified") as progress:
        if workers == 1:
            for job in jobs:
                yield PartitionCheck(job, how, progress.add).run()
        else:
            from pykafka_ops.commands.dump_log.checking.pool import run

            yield from run(jobs, how, workers, progress)
