"""Features and releases as command lines write them, with FeatureCommand's complaints."""

from __future__ import annotations

from pykafka_ops.analysis.feature_levels import release_level, unknown_release
from pykafka_ops.commands.framework.types import java_integer
from pykafka_ops.errors import UsageError

_SPACE = "".join(map(chr, range(33)))
"""What ``String.trim`` takes away."""


def name_and_level(text: str) -> tuple[str, int]:
    """``NAME=LEVEL``; UsageError."""
    name, equals, level = text.partition("=")
    wrong = f"Can't parse feature=level string {text}: "
    if not equals:
        raise UsageError(f"{wrong}equals sign not found.")
    number = java_integer(level.strip(_SPACE), 15)
    if number is None:
        raise UsageError(f"{wrong}unable to parse {level.strip(_SPACE)} as a short.")
    return name.strip(_SPACE), number


def release(text: str) -> int:
    """The level of ``metadata.version`` of a release; UsageError."""
    level = release_level(text)
    if level is None:
        raise UsageError(unknown_release(text))
    return level
