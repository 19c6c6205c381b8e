"""What changed between two runs: rows that are new, gone, or have other figures."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from pykafka_ops.analysis.moments import moment_text
from pykafka_ops.analysis.run_changes import CHANGED, GONE, NEW, RowChange, changes, number
from pykafka_ops.errors import UsageError
from pykafka_ops.page.units import NONE, value_text
from pykafka_ops.runs.layout import COMPARED
from pykafka_ops.spark.inputs.kept_runs import KeptRun
from pykafka_ops.spark.model import Report, Row, Section
from pykafka_ops.spark.reports.compare import columns
from pykafka_ops.spark.reports.compare.verdicts import TURNS, WORSE, field_of, turn

_AGES: Final = ("age_seconds", "age_share", "last_commit_age_seconds", "silence_seconds")
"""They differ from run to run though nothing happened."""
_FIELDS: Final = 4
"""Fields of a row that are named beside its figure."""


class _Compared(NamedTuple):
    """A section of both runs; ``sums`` are those of its figure in each."""

    name: str
    figure: str
    units: Mapping[str, str]
    before: Sequence[Row]
    after: Sequence[Row]
    found: Sequence[RowChange]
    sums: tuple[float | None, float | None]


def _sum(rows: Sequence[Row], figure: str) -> float | None:
    """Over the rows where it is known; None where it is of none."""
    known = [value for row in rows if (value := number(row.get(figure))) is not None]
    return sum(known) if known or not rows else None


def build(before: KeptRun, after: KeptRun) -> Report:
    """Sections changes and sections. Raises UsageError for runs of two kinds."""
    if before.kind != after.kind:
        raise UsageError(
            f"{before.name} is a {before.kind} report, {after.name} a {after.kind} report"
        )
    known = COMPARED.get(after.kind, {})
    both = [
        _compare(name, known[name], before, after)
        for name in known
        if name in before.sections and name in after.sections
    ]
    alone = [n for n in known if (n in before.sections) != (n in after.sections)]
    note = f"Not known in one of the runs: {', '.join(alone)}." if alone else ""
    rows = sorted((_ranked(after.kind, one, c) for one in both for c in one.found), key=_rank)
    counted = [_counts(one) for one in both]
    source = {
        "report": after.kind,
        "before": f"{before.name} ({moment_text(before.now)})",
        "after": f"{after.name} ({moment_text(after.now)})",
    }
    return Report(
        "compare",
        after.now,
        source,
        {
            "before": moment_text(before.now, parts=False),
            "after": moment_text(after.now, parts=False),
            **{state: sum(c.state == state for one in both for c in one.found)
               for state in (NEW, GONE, CHANGED)},
            **{turn: sum(row["turn"] == turn for _, row in rows) for turn in TURNS},
        },
        [
            Section("changes", "What changed", columns.CHANGES, [row for _, row in rows], note),
            Section("sections", "Sections", columns.SECTIONS, counted),
        ],
    )  # fmt: skip


def _compare(
    name: str, by: tuple[tuple[str, ...], str], before: KeptRun, after: KeptRun
) -> _Compared:
    keys, figure = by
    old, _ = before.sections[name]
    new, units = after.sections[name]
    ignored = {n for n, unit in units.items() if unit == "ms" or n.endswith("_change")}
    ignored |= {*_AGES, "now", "advice", "share"}
    found = changes(old, new, keys, figure, ignored)
    return _Compared(name, figure, units, old, new, found, (_sum(old, figure), _sum(new, figure)))


def _weight(one: _Compared, found: RowChange) -> float | None:
    """The change against all of the section."""
    if found.change is None:
        return None
    whole = max(abs(value or 0.0) for value in one.sums)
    return min(1.0, abs(found.change) / whole) if whole else 0.0


def _ranked(kind: str, one: _Compared, found: RowChange) -> tuple[int, Row]:
    """The row, after how much worse its verdict is."""
    name = field_of(kind, one.name)
    way, steps = turn(kind, one.name, found) or (None, 0)
    verdict = None
    if name is not None:
        was = [before for field, before, _ in found.fields if field == name]
        verdict = " → ".join(str(v) for v in (*was, found.row.get(name)) if v is not None)
    row = _row(one, found, {one.figure, name})
    return steps if way == WORSE else 0, {**row, "verdict": verdict or None, "turn": way}


def _rank(ranked: tuple[int, Row]) -> tuple[int, bool, float]:
    """What is worse comes first, then what changed by nobody knows how much, then the largest."""
    worse, row = ranked
    weight = number(row["weight"])
    return -worse, weight is not None, -(weight or 0.0)


def _row(one: _Compared, found: RowChange, shown: Collection[str | None]) -> Row:
    unit = one.units.get(one.figure, "")
    others = [field for field in found.fields if field[0] not in shown]
    said = [_field(name, a, b, one.units.get(name, "")) for name, a, b in others[:_FIELDS]]
    if len(others) > _FIELDS:
        said.append(f"{len(others) - _FIELDS} more")
    return {
        "section": one.name,
        "row": " ".join(part for part in found.key if part),
        "group": found.row.get("group"),
        "topic": found.row.get("topic"),
        "state": found.state,
        "figure": one.figure,
        "said": _said(found, unit),
        "before": found.before,
        "after": found.after,
        "change": found.change,
        "weight": _weight(one, found),
        "fields": said or None,
    }


def _said(found: RowChange, unit: str) -> str:
    """``3.2 GiB → 4.1 GiB (+900 MiB)``."""
    before, after = (NONE if v is None else value_text(v, unit)
                     for v in (found.before, found.after))  # fmt: skip
    if found.state == NEW:
        return after
    if found.state == GONE:
        return before
    if not found.change:
        return f"{after} as before" if found.change == 0 else f"{before} → {after}"
    sign = "+" if found.change > 0 else "-"
    return f"{before} → {after} ({sign}{value_text(abs(found.change), unit)})"


def _field(name: str, before: object, after: object, unit: str) -> str:
    """``records: 10 → 20``; of lists the name alone."""
    if isinstance(before, list) or isinstance(after, list):
        return name
    return f"{name}: {_text(before, unit)} → {_text(after, unit)}"


def _text(value: object, unit: str) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return NONE if value is None else str(value)
    return value_text(value, unit)


def _counts(one: _Compared) -> Row:
    return {
        "section": one.name,
        "rows_before": len(one.before),
        "rows_after": len(one.after),
        **{state: sum(c.state == state for c in one.found) for state in (NEW, GONE, CHANGED)},
        "figure": one.figure,
        "sum_before": one.sums[0],
        "sum_after": one.sums[1],
    }
