"""A round as a table, JSON, JUnit XML and annotations of GitHub's workflows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pykafka_ops.client.smoke.plan import FAILED, LEFT_OUT, NOT_RUN, OK, StepOutcome
from pykafka_ops.commands.framework.output import Column, Table, numbers
from pykafka_ops.commands.smoke.figures import Figures


def is_bad(verdict: object) -> bool:
    """Whether a verdict deserves red."""
    return verdict in (FAILED, NOT_RUN)


ROUND = (Column("step"), Column("verdict", bad=is_bad), *numbers("ms"))
SO_FAR = numbers("runs", "failures", "min_ms", "median_ms", "p99_ms")
SEEN = (Column("where", optional=True), Column("detail"))


def table(
    outcomes: Sequence[StepOutcome], figures: Mapping[str, Figures], *, so_far: bool
) -> Table:
    """The round, with the figures of all rounds where there may be several."""
    rows = [{**o._asdict(), **figures[o.step].row()} for o in outcomes]
    shown = [{**row, "detail": row["detail"] or row["reason"]} for row in rows]
    columns = (*ROUND, *(SO_FAR if so_far else ()), *SEEN)
    return Table("smoke", columns, shown, items=rows, exit_code=code(outcomes))


def code(outcomes: Sequence[StepOutcome]) -> int:
    """4 where a step failed, or could not be run."""
    return 4 if any(is_bad(o.verdict) for o in outcomes) else 0


def _trouble(outcome: StepOutcome) -> str:
    """Where it hurts and why, or why it was not run."""
    if outcome.verdict == NOT_RUN:
        return f"not run: {outcome.reason}"
    return f"{outcome.where}: {outcome.reason}" if outcome.where else outcome.reason


# --- JUnit ---------------------------------------------------------------------------------------

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(outcomes: Sequence[StepOutcome], cluster: str) -> str:
    """A test suite with a case for each step; one that was not run counts as failed."""
    counts = {v: sum(o.verdict == v for o in outcomes) for v in (FAILED, NOT_RUN, LEFT_OUT)}
    total = sum(o.ms or 0 for o in outcomes) / 1000
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuite name={_quoted(f"pko smoke {cluster}")} tests="{len(outcomes)}" '
        f'failures="{counts[FAILED]}" errors="{counts[NOT_RUN]}" skipped="{counts[LEFT_OUT]}" '
        f'time="{total:.4f}">',
    ]
    for o in outcomes:
        head = f'  <testcase classname="pko.smoke" name="{o.step}" time="{(o.ms or 0) / 1000:.4f}"'
        child = _child(o)
        lines.append(f"{head}>{child}</testcase>" if child else f"{head}/>")
    return "\n".join([*lines, "</testsuite>", ""])


def _child(outcome: StepOutcome) -> str:
    """What a test case says of a step that is not ok."""
    tags = {FAILED: "failure", NOT_RUN: "error", LEFT_OUT: "skipped"}
    tag = tags.get(outcome.verdict)
    if tag is None:
        return ""
    text = outcome.detail if outcome.verdict == LEFT_OUT else _trouble(outcome)
    return f"<{tag} message={_quoted(text)}/>"


def _quoted(text: str) -> str:
    from xml.sax.saxutils import quoteattr

    return quoteattr(_NOT_XML.sub("?", text))


# --- GitHub --------------------------------------------------------------------------------------


def github(outcomes: Sequence[StepOutcome]) -> str:
    """An annotation for each step that is not ok, else one for all."""
    bad = [o for o in outcomes if is_bad(o.verdict)]
    lines = [_annotation("error", f"pko smoke: {o.step}", _trouble(o)) for o in bad]
    if not bad:
        ran = [o for o in outcomes if o.verdict == OK]
        text = f"{len(ran)} steps ok in {sum(o.ms or 0 for o in ran):.0f} ms"
        lines.append(_annotation("notice", "pko smoke", text))
    return "".join(lines)


def _annotation(kind: str, title: str, text: str) -> str:
    def escaped(part: str) -> str:
        return part.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")

    name = escaped(title).replace(":", "%3A").replace(",", "%2C")
    return f"::{kind} title={name}::{escaped(text)}\n"
