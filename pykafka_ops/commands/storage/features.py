"""``version-mapping`` and ``feature-dependencies``: features by release."""

from __future__ import annotations

from pykafka_ops.analysis.feature_levels import FEATURES, LATEST, METADATA, has_level, levels_at
from pykafka_ops.commands.framework.output import Column, Table, rows_of
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.types import java_integer
from pykafka_ops.commands.storage.errors import StorageToolError
from pykafka_ops.commands.storage.levels import level_of, needs, release_of
from pykafka_ops.errors import SettingError

LEVELS = (Column("feature"), Column("level", right=True), Column("release", optional=True))
DEPENDENCIES = (
    Column("feature"), Column("level", right=True), Column("requires", optional=True),
    Column("required_level", optional=True, right=True),
)  # fmt: skip


def version_mapping(run: Run) -> Table:
    """What a release sets each feature to; StorageToolError for one that is not known."""
    text = run.args.text("release-version") or LATEST
    if run.args.has("release-version"):
        text = run.args.given("release-version")[-1]
    try:
        version = level_of(text)
    except SettingError as error:
        raise StorageToolError(str(error)) from None
    levels = [(METADATA, version, text)]
    levels += [(name, level, "") for name, level in levels_at(version).items()]
    kafka = [f"{name}={level}{f' ({said})' if said else ''}\n" for name, level, said in levels]
    rows = rows_of(LEVELS, [(n, level, said or None) for n, level, said in levels])
    return Table("features", LEVELS, rows, kafka=kafka)


def feature_dependencies(run: Run) -> Table:
    """What the levels named on the command line depend on; StorageToolError."""
    rows: list[tuple[str, int, str | None, int | None]] = []
    kafka = []
    for text in run.args.given("feature"):
        name, level = _feature(text)
        if name == METADATA:
            kafka.append(f"{name}={level} ({_release(level)}) has no dependencies.\n")
            rows.append((name, level, None, None))
            continue
        asked = needs(name, level)
        kafka.append(f"{name}={level} {'requires:' if asked else 'has no dependencies.'}\n")
        kafka += [f"    {n}={required} ({release_of(required)})\n" for n, required in asked.items()]
        rows += [(name, level, n, required) for n, required in asked.items()]
        if not asked:
            rows.append((name, level, None, None))
    return Table("feature-dependencies", DEPENDENCIES, rows_of(DEPENDENCIES, rows), kafka=kafka)


def _release(level: int) -> str:
    try:
        return release_of(level)
    except SettingError:
        raise StorageToolError(f"Unknown metadata.version {level}") from None


def _feature(text: str) -> tuple[str, int]:
    name, equals, number = text.partition("=")
    if not equals:
        raise StorageToolError(
            f"Invalid feature format: {text}. Expected format: 'feature=version' "
            "(e.g. 'group.version=1')"
        )
    level = java_integer(number, 15)
    if level is None:
        raise StorageToolError(f"Invalid version format: {number} for feature {name}")
    if name != METADATA and name not in FEATURES:
        raise StorageToolError(f"Unknown feature: {name}")
    if name in FEATURES and not has_level(name, level):
        raise StorageToolError(f"Feature level {level} is not supported for feature {name}")
    return name, level
