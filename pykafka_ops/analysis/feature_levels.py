"""Levels of a cluster's features: what they are called, which come with a release, what they need.

Kafka counterparts: ``MetadataVersion``, ``Feature`` and the ``FeatureVersion`` of each in 4.4.
"""

from __future__ import annotations

from typing import Final, NamedTuple

METADATA: Final = "metadata.version"
_FIRST_LEVEL = 7
_RELEASES = (
    ("3.3", (3,)), ("3.4", (0,)), ("3.5", (0, 1, 2)), ("3.6", (0, 1, 2)), ("3.7", (0, 1, 2, 3, 4)),
    ("3.8", (0,)), ("3.9", (0,)), ("4.0", (0, 1, 2, 3)), ("4.1", (0, 1)), ("4.2", (0, 1)),
    ("4.3", (0,)), ("4.4", (0, 1, 2)), ("4.5", (0,)),
)  # fmt: skip
"""The levels of ``metadata.version`` in their order, by release."""
VERSIONS: Final = {
    f"{release}-IV{step}": level
    for level, (release, step) in enumerate(
        ((release, step) for release, steps in _RELEASES for step in steps), _FIRST_LEVEL
    )
}
"""Levels of ``metadata.version`` by name; what is behind ``LATEST`` is not released."""
LATEST: Final = "4.4-IV2"
_NAMES = {level: name for name, level in VERSIONS.items()}
_BY_NAME = VERSIONS | {
    name.partition("-")[0]: level for name, level in VERSIONS.items() if level <= VERSIONS[LATEST]
}


class FeatureHistory(NamedTuple):
    """``since``: from which level of ``metadata.version`` on a new cluster has each level from 1
    on; ``needs``: the level of ``metadata.version`` that one needs, by level."""

    since: tuple[int, ...]
    needs: dict[int, int]


FEATURES: Final = {
    "kraft.version": FeatureHistory((VERSIONS["3.9-IV0"],), {}),
    "transaction.version": FeatureHistory((VERSIONS["4.0-IV2"], VERSIONS["4.0-IV2"]), {}),
    "group.version": FeatureHistory((VERSIONS["4.0-IV0"],), {}),
    "eligible.leader.replicas.version": FeatureHistory(
        (VERSIONS["4.1-IV0"],), {1: VERSIONS["4.0-IV1"]}
    ),
    "share.version": FeatureHistory((VERSIONS["4.2-IV0"], VERSIONS["4.4-IV0"]), {}),
    "streams.version": FeatureHistory((VERSIONS["4.2-IV1"],), {}),
}
"""All but ``metadata.version``, in the order in which Kafka's tool names them."""


def release_level(text: str) -> int | None:
    """The level of ``metadata.version`` that ``3.9``, ``3.9.1`` or ``3.9-IV0`` means; None where
    there is none (``MetadataVersion.fromVersionString``)."""
    parts = text.rstrip(".").split(".")
    return _BY_NAME.get(text if len(parts) <= 2 else ".".join(parts[:2]))


def unknown_release(text: str, most: int | None = None) -> str:
    """What Kafka's tools say of a release that there is not; they name those up to ``most``."""
    known = [name for name, level in VERSIONS.items() if most is None or level <= most]
    return f"Unknown metadata.version '{text}'. Supported metadata.version are: {', '.join(known)}"


def has_level(feature: str, level: int) -> bool:
    """Whether a feature other than ``metadata.version`` has it."""
    return 0 <= level <= len(FEATURES[feature].since)


def version_name(level: int) -> str | None:
    """The name of a level of ``metadata.version``; None: not known."""
    return _NAMES.get(level)


def level_text(feature: str, level: int) -> str:
    """A level as Kafka's tool shows it."""
    if feature != METADATA:
        return str(level)
    return _NAMES.get(level, f"UNKNOWN {level}")


def levels_at(metadata: int) -> dict[str, int]:
    """The levels of the other features in a new cluster with this ``metadata.version``."""
    return {
        name: sum(since <= metadata for since in history.since)
        for name, history in FEATURES.items()
    }
