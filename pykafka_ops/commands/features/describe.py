"""``kafka-features describe``, as FeatureCommand of Kafka 4.3 prints it."""

from __future__ import annotations

from collections.abc import Iterator

from pykafka_ops.analysis.feature_levels import level_text
from pykafka_ops.client.features import FoundFeatures, describe_features
from pykafka_ops.commands.framework.controllers import enter
from pykafka_ops.commands.framework.output import Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import UsageError


def describe(run: Run) -> Table:
    """A line per feature that the node supports."""
    node = run.args.number("node-id")
    if node is not None and node < 0:
        raise UsageError(f"Invalid node id {node}: must be non-negative.")
    cluster, to = enter(run)
    found = describe_features(cluster, to=to if node is None else node)
    return Table("features", (), [], kafka=_lines(found))


def _lines(found: FoundFeatures) -> Iterator[str]:
    epoch = str(found.epoch) if found.epoch >= 0 else "-"
    for name, (low, high) in sorted(found.supported.items()):
        level = found.finalized.get(name, 0)
        yield (
            f"Feature: {name:<40}  SupportedMinVersion: {level_text(name, low):<15}  "
            f"SupportedMaxVersion: {level_text(name, high):<15}  "
            f"FinalizedVersionLevel: {level_text(name, level):<15}  Epoch: {epoch}\n"
        )
