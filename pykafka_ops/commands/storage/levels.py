"""Levels of features, with kafka-storage's words for those that there are not."""

from __future__ import annotations

from pykafka_ops.analysis.feature_levels import (
    FEATURES,
    LATEST,
    METADATA,
    VERSIONS,
    release_level,
    unknown_release,
    version_name,
)
from pykafka_ops.errors import SettingError

NEWEST = VERSIONS[LATEST]
"""The newest metadata.version that is meant for production; the ones above are unstable."""
SCRAM_SINCE = VERSIONS["3.5-IV2"]


def release_of(level: int) -> str:
    """The name of a metadata.version; SettingError for a level that there is not."""
    name = version_name(level)
    if name is None:
        first, *_, last = VERSIONS.values()
        raise SettingError(
            f"No MetadataVersion with feature level {level}. Valid feature levels are from "
            f"{first} to {last}."
        )
    return name


def level_of(text: str, *, unstable: bool = True) -> int:
    """The metadata.version of a release, ``4.1``, ``4.1-IV0`` or ``3.9.1``; SettingError."""
    level = release_level(text)
    if level is None or (level > NEWEST and not unstable):
        raise SettingError(unknown_release(text, None if unstable else NEWEST))
    return level


def needs(name: str, level: int) -> dict[str, int]:
    """Other features that a level depends on, and the level that it asks of each."""
    needed = FEATURES[name].needs.get(level)
    return {} if needed is None else {METADATA: needed}
