"""Bytes over time of topics and directories, from the runs of one kind of report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pykafka_ops.analysis.growth import spread_out
from pykafka_ops.analysis.moments import moment_text
from pykafka_ops.errors import UsageError

if TYPE_CHECKING:
    from pykafka_ops.spark.inputs.history_runs import HistoryRuns
    from pykafka_ops.spark.output.kept_runs import DayRun

KINDS: Final = ("retention", "skew", "cost")
"""Kinds of reports whose runs have bytes; only the first two have directories."""
DIR_SECTIONS: Final = {"retention": "dirs", "skew": "log_dirs"}
TOPICS: Final = "topics"
MOST_RUNS: Final = 100
"""Runs that a trend is made of at most, spread evenly over their time."""
DirKey = tuple[int | None, str]


class VolumeSize(NamedTuple):
    """Of a directory's volume, in bytes; None: not known."""

    total: int | None
    usable: int | None


@dataclass(slots=True)
class KeptSizes:
    """``topics`` and ``dirs``: bytes by the moment of a run (ms), oldest first; ``dirs`` is None
    where runs have none. ``here``: topics of the last run, of known bytes or not. ``volumes`` are
    of the last run that saw a directory. ``first`` and ``last`` are the ends."""

    kind: str
    first: int
    last: int
    runs: int
    topics: dict[str, dict[int, int]] = field(default_factory=dict)
    here: set[str] = field(default_factory=set)
    dirs: dict[DirKey, dict[int, int]] | None = None
    volumes: dict[DirKey, VolumeSize] = field(default_factory=dict)


class WantedRuns(NamedTuple):
    """Of which kind (None: the one with most runs), over what (None: there is but one), from
    ``since`` to before ``until`` (ms)."""

    kind: str | None
    source: str | None
    since: int
    until: int


def gathered(history: HistoryRuns, wanted: WantedRuns, topic: Callable[[str], bool]) -> KeptSizes:
    """What runs say of the topics that ``topic`` wants and of all directories; a sum that lacks
    partitions is none, for it would look as if the topic shrank. Files that cannot be read become
    problems of the history. Raises UsageError where there are no runs, or over several inputs."""
    runs = _listed(history, wanted)
    kind = max(runs, key=lambda name: len(runs[name]), default=None)
    if kind is None:
        named = wanted.kind or ", ".join(KINDS)
        raise UsageError(f"{history.place}: no runs of {named}: --history of a report keeps them")
    chosen = _of_one_source(history, runs[kind])
    chosen = [chosen[n] for n in spread_out([one.now for one in chosen], MOST_RUNS)]
    moments = [one.now for one in chosen]
    found = KeptSizes(kind, moments[0], moments[-1], len(moments))
    for now, row in _rows(history, chosen, ("topic", "bytes", "unknown_partitions")):
        if now == found.last:
            found.here.add(row["topic"])
        is_whole = row["bytes"] is not None and not row["unknown_partitions"]
        if is_whole and topic(row["topic"]):
            found.topics.setdefault(row["topic"], {})[now] = row["bytes"]
    name = DIR_SECTIONS.get(kind)
    if name is not None:
        _add_dirs(found, history, (kind, name, chosen[0].run.source), moments)
    return found


def _listed(history: HistoryRuns, wanted: WantedRuns) -> dict[str, list[DayRun]]:
    """Runs with topics by kind, oldest first; kinds without any are left out."""
    found: dict[str, list[DayRun]] = {}
    for kind in [wanted.kind] if wanted.kind else KINDS:
        runs = history.runs(
            kind, TOPICS, since=wanted.since, until=wanted.until, source=wanted.source
        )
        by_time: dict[tuple[int, str], DayRun] = {}
        for one in runs:
            by_time.setdefault((one.now, one.run.source), one)
        if by_time:
            found[kind] = [by_time[at] for at in sorted(by_time)]
    return found


def _of_one_source(history: HistoryRuns, runs: Sequence[DayRun]) -> Sequence[DayRun]:
    """The runs, if they are over the same. UsageError that names the choices."""
    each: dict[str, list[int]] = {}
    for one in runs:
        each.setdefault(one.run.source, []).append(one.now)
    if len(each) == 1:
        return runs
    said = ", ".join(
        f"{source} ({len(times)} runs, the last {moment_text(times[-1], parts=False)})"
        for source, times in sorted(each.items(), key=lambda pair: -pair[1][-1])
    )
    raise UsageError(
        f"{history.place}: runs over {len(each)} clusters, directories or filters, choose with"
        f" --source: {said}"
    )


def _add_dirs(
    found: KeptSizes,
    history: HistoryRuns,
    where: tuple[str, str, str],
    moments: Sequence[int],
) -> None:
    kind, name, source = where
    wanted = set(moments)
    runs: dict[int, DayRun] = {}
    for one in history.runs(kind, name, since=moments[0], until=moments[-1] + 1, source=source):
        if one.now in wanted:
            runs.setdefault(one.now, one)
    columns = ("broker", "log_dir", "bytes", "total_bytes", "usable_bytes")
    dirs: dict[DirKey, dict[int, int]] = {}
    for now, row in _rows(history, [runs[now] for now in sorted(runs)], columns):
        if row["bytes"] is not None:
            key = row["broker"], str(row["log_dir"])
            dirs.setdefault(key, {})[now] = row["bytes"]
            found.volumes[key] = VolumeSize(row["total_bytes"], row["usable_bytes"])
    found.dirs = dirs or None


def _rows(
    history: HistoryRuns, runs: Sequence[DayRun], columns: Sequence[str]
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Some columns of the rows of runs; a column that a run has not got is None."""
    for one in runs:
        try:
            table = one.table()
            known = table.select([name for name in columns if name in table.column_names])
            rows = known.to_pylist()
        except Exception as error:  # whatever is in the file, the forecast goes on
            history.left_out(one, error)
            continue
        for row in rows:
            yield one.now, {name: row.get(name) for name in columns}
