"""``[[probe]]``: which cluster is tried, how often, and how. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from pykafka_ops.analysis.near import did_you_mean
from pykafka_ops.client.smoke.plan import STEPS, with_needs
from pykafka_ops.errors import UsageError
from pykafka_ops.monitor.alerts.settings.checked import CheckedTable, tables

EVERY_MS: Final = 60_000
LEAST_EVERY_MS: Final = 5_000
TIMEOUT_MS: Final = 30_000
MOST_TIMEOUT_MS: Final = 300_000
"""Less than what counts as left behind (``client.smoke.names.OLD_MS``)."""
MOST_PROBES: Final = 100
_KEYS: Final = (
    "name", "cluster", "every", "timeout", "steps", "topic", "read-only", "brokers",
    "replication-factor",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ProbeSettings:
    """One probe. ``timeout_ms``: how long a whole run may take. ``steps`` None: all. ``topic``: is
    written to in the place of one made for each run. ``brokers``: so many there must be."""

    name: str
    cluster: str
    every_ms: int = EVERY_MS
    timeout_ms: int = TIMEOUT_MS
    steps: frozenset[str] | None = None
    topic: str | None = None
    read_only: bool = False
    brokers: int | None = None
    replication_factor: int | None = None


def probe_settings(
    document: Mapping[str, object], where: str, clusters: Collection[str]
) -> tuple[ProbeSettings, ...]:
    """The probes in a configuration; ``where`` is its name, for complaints; ``clusters`` are those
    that are watched. UsageError."""
    found: dict[str, ProbeSettings] = {}
    rows = tables(document.get("probe", []), f"{where}: [[probe]]")
    if len(rows) > MOST_PROBES:
        raise UsageError(f"{where}: [[probe]]: at most {MOST_PROBES}")
    for values in rows:
        one = _probe(values, where, clusters)
        if one.name in found:
            raise UsageError(f"{where}: [[probe]] {one.name}: there are two of this name")
        found[one.name] = one
    return tuple(found.values())


def _probe(values: Mapping[str, object], where: str, clusters: Collection[str]) -> ProbeSettings:
    table = CheckedTable(f"{where}: [[probe]] {values.get('name', '')}".rstrip(), values)
    table.only(_KEYS)
    return ProbeSettings(
        name=table.text("name")[:200],
        cluster=_cluster(table, clusters),
        every_ms=table.span("every", EVERY_MS, LEAST_EVERY_MS),
        timeout_ms=_timeout(table),
        steps=_steps(table),
        topic=table.maybe("topic"),
        read_only=table.flag("read-only", default=False),
        brokers=_number(table, "brokers", 1 << 15),
        replication_factor=_number(table, "replication-factor", 1 << 15),
    )


def _cluster(table: CheckedTable, clusters: Collection[str]) -> str:
    only = next(iter(clusters)) if len(clusters) == 1 else None
    name = table.text("cluster", only)
    if name not in clusters:
        hint = did_you_mean(name, clusters) or f"; there are: {', '.join(clusters)}"
        raise table.wrong("cluster", f"there is no [cluster.{name}]{hint}")
    return name


def _timeout(table: CheckedTable) -> int:
    found = table.span("timeout", TIMEOUT_MS, 1000)
    if found > MOST_TIMEOUT_MS:
        raise table.wrong("timeout", f"at most {MOST_TIMEOUT_MS // 60_000}m")
    return found


def _steps(table: CheckedTable) -> frozenset[str] | None:
    names = table.texts("steps")
    if names is None:
        return None
    known = [step.name for step in STEPS]
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known)
            raise table.wrong("steps", f"{name!r}: choose from {', '.join(known)}{hint}")
    return with_needs(names)


def _number(table: CheckedTable, key: str, most: int) -> int | None:
    return table.number(key, 1, 1, most) if key in table.values else None
