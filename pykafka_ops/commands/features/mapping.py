"""``pko features version-mapping`` and kafka-features version-mapping."""

from __future__ import annotations

from pykafka_ops.analysis.feature_levels import LATEST, METADATA, levels_at
from pykafka_ops.commands.features.words import release
from pykafka_ops.commands.framework.output import Column, Table, rows_of
from pykafka_ops.commands.framework.run import Run

COLUMNS = (Column("feature"), Column("level", right=True))


def version_mapping(run: Run) -> Table:
    """A row per feature; UsageError where the release is not known."""
    text = run.args.text("release-version") or LATEST
    metadata = release(text)
    levels = levels_at(metadata)
    return Table(
        "feature-levels", COLUMNS, rows_of(COLUMNS, [(METADATA, metadata), *levels.items()]),
        kafka=[
            f"{METADATA}={metadata} ({text})\n",
            *(f"{name}={level}\n" for name, level in levels.items()),
        ],
    )  # fmt: skip
