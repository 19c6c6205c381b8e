"""``pko features feature-dependencies`` and kafka-features feature-dependencies."""

from __future__ import annotations

import sys

from pykafka_ops.analysis.feature_levels import FEATURES, METADATA, has_level, version_name
from pykafka_ops.commands.features.words import name_and_level
from pykafka_ops.commands.framework.output import Column, Table, rows_of
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import UsageError

COLUMNS = (
    Column("feature"),
    Column("level", right=True),
    Column("needs"),
    Column("needed_level", right=True),
    Column("release", optional=True),
)


def dependencies(run: Run) -> Table | None:
    """A row per level asked for; UsageError where one is not known, in Kafka's form behind the
    lines of those before it."""
    rows = []
    for text in run.args.given("feature"):
        name, level = name_and_level(text)
        needed = _needed(name, level)
        named = f" ({version_name(level)})" if name == METADATA else ""
        if run.args.flags:
            sys.stdout.write(_lines(f"{name}={level}{named}", needed))
        on = METADATA if needed is not None else None
        release = None if needed is None else version_name(needed)
        rows.append((name, level, on, needed, release))
    if run.args.flags and run.output == "table":
        return None
    return Table("feature-dependencies", COLUMNS, rows_of(COLUMNS, rows))


def _needed(name: str, level: int) -> int | None:
    """The level of ``metadata.version`` that it needs; None: any."""
    if name == METADATA:
        if version_name(level) is None:
            raise UsageError(f"Unknown {METADATA} {level}")
        return None
    history = FEATURES.get(name)
    if history is None:
        raise UsageError(f"Unknown feature: {name}")
    if not has_level(name, level):
        raise UsageError(f"No feature:{name} with feature level {level}")
    return history.needs.get(level)


def _lines(what: str, needed: int | None) -> str:
    if needed is None:
        return f"{what} has no dependencies.\n"
    return f"{what} requires:\n    {METADATA}={needed} ({version_name(needed)})\n"
