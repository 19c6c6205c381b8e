"""``pko features list``: a row per feature, and which are lower than the software allows."""

from __future__ import annotations

from collections.abc import Mapping

from pykafka_ops.analysis.feature_levels import METADATA, level_text
from pykafka_ops.client.features import FeatureRange, FoundFeatures, describe_features_of
from pykafka_ops.commands.framework.controllers import enter
from pykafka_ops.commands.framework.failures import parted, raise_first
from pykafka_ops.commands.framework.output import Column, Table, rows_of
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import PkoError

NO_FEATURES = "the cluster has no features: it is on ZooKeeper, or older than 2.7"
COLUMNS = (
    Column("feature"),
    Column("level", right=True),
    Column("release", optional=True),
    Column("lowest", right=True),
    Column("highest", right=True),
    Column("upgrade_to", right=True, bad=lambda value: value is not None),
    Column("nodes", wide=True),
)


def list_features(run: Run) -> Table:
    """``lowest`` and ``highest``: what all nodes support; ``nodes``: what each does."""
    cluster, _ = enter(run)
    nodes = sorted(cluster.brokers())
    answers = describe_features_of(cluster, nodes)
    good, errors = parted(answers, "node")
    if not good:
        raise_first(a for a in answers.values() if isinstance(a, PkoError))
    names = sorted({name for f in good.values() for name in (*f.supported, *f.finalized)})
    if not names:
        raise PkoError(NO_FEATURES)
    newest = max(good.values(), key=lambda f: f.epoch)
    rows, notes = [], []
    for name in names:
        ranges = {node: f.supported.get(name) for node, f in good.items()}
        row = _row(name, newest, ranges)
        rows.append(row)
        notes += _notes(name, row, ranges)
    return Table("features", COLUMNS, rows_of(COLUMNS, rows), errors=errors, notes=notes)


def _row(
    name: str, newest: FoundFeatures, ranges: Mapping[int, FeatureRange | None]
) -> tuple[object, ...]:
    level = newest.finalized.get(name, 0)
    known = [r for r in ranges.values() if r is not None]
    all_know = len(known) == len(ranges)
    low = max(r.low for r in known) if all_know else None
    high = min(r.high for r in known) if all_know else None
    if low is not None and high is not None and low > high:
        low = high = None
    release = level_text(name, level) if name == METADATA else None
    more = high if high is not None and high > level else None
    shown = [f"{node}: {r.low}-{r.high}" if r else f"{node}: none" for node, r in ranges.items()]
    return name, level, release, low, high, more, shown


def _notes(
    name: str, row: tuple[object, ...], ranges: Mapping[int, FeatureRange | None]
) -> list[str]:
    _, level, _, low, high, more, shown = row
    notes = []
    if more is not None:
        notes.append(f"pko: {name} is at {level}, the software allows {high}")
    if low is None:
        notes.append(f"pko: {name}: no level that all nodes support")
    if len(set(ranges.values())) > 1:
        notes.append(f"pko: {name}: the nodes differ: {', '.join(map(str, _list(shown)))}")
    return notes


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
