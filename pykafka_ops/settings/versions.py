"""Kafka's release and protocol versions, as ``inter.broker.protocol.version`` names them.

Counterpart of ``org.apache.kafka.server.common.MetadataVersion``.
"""

from __future__ import annotations

_TEXT = (
    "0.8.0 0.8.1 0.8.2 0.9.0 0.10.0-IV0 0.10.0-IV1 0.10.1-IV0 0.10.1-IV1 0.10.1-IV2 0.10.2-IV0 "
    "0.11.0-IV0 0.11.0-IV1 0.11.0-IV2 1.0-IV0 1.1-IV0 2.0-IV0 2.0-IV1 2.1-IV0 2.1-IV1 2.1-IV2 "
    "2.2-IV0 2.2-IV1 2.3-IV0 2.3-IV1 2.4-IV0 2.4-IV1 2.5-IV0 2.6-IV0 2.7-IV0 2.7-IV1 2.7-IV2 "
    "2.8-IV0 2.8-IV1 3.0-IV0 3.0-IV1 3.1-IV0 3.2-IV0 3.3-IV0 3.3-IV1 3.3-IV2 3.3-IV3 3.4-IV0 "
    "3.5-IV0 3.5-IV1 3.5-IV2 3.6-IV0 3.6-IV1 3.6-IV2 3.7-IV0 3.7-IV1 3.7-IV2 3.7-IV3 3.7-IV4 "
    "3.8-IV0 3.9-IV0 4.0-IV0 4.0-IV1"
)
VERSIONS: tuple[str, ...] = tuple(_TEXT.split())
LATEST = "3.9-IV0"


def _newest() -> dict[str, str]:
    """Every accepted name to the full version: ``3.7`` means the newest ``3.7-IVn``."""
    names = {}
    for version in VERSIONS:
        names[version] = version
        if not version.startswith("4."):  # not released: only the full names are known
            names[version.partition("-")[0]] = version
    return names


_NAMES = _newest()


def resolve(text: str) -> str | None:
    """The full version ``text`` stands for (``3.9.1`` -> ``3.9-IV0``), or None if unknown."""
    parts = text.split(".")
    kept = 3 if text.startswith("0.") else 2
    if len(parts) <= kept or not parts[-1]:
        return _NAMES.get(text)
    return _NAMES.get(".".join(parts[:kept]))


def is_version(text: str) -> bool:
    """Whether Kafka 3.9 accepts ``text`` as a version."""
    return resolve(text) is not None


def message_magic(text: str) -> int:
    """Newest record format (0, 1 or 2) that version ``text`` may store.

    ``text`` must be a known version, see ``is_version``.
    """
    number = VERSIONS.index(resolve(text) or LATEST)
    if number < VERSIONS.index("0.10.0-IV0"):
        return 0
    return 1 if number < VERSIONS.index("0.11.0-IV0") else 2
