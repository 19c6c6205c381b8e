"""What goes into the rules of alerts, and what is remembered. Times and spans in ms."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, cast

from pykafka_ops.analysis.conditions import Condition
from pykafka_ops.monitor.alerts.rules.facts import BROKER, CLUSTER, GROUP, PROBE, TOPIC, Facts

INFO, WARNING, CRITICAL = "info", "warning", "critical"
SEVERITIES: Final = (INFO, WARNING, CRITICAL)
"""From harmless to bad."""
MOST_TEXT: Final = 1_024
"""Characters kept of a text that comes from a cluster."""
PENDING, FIRING, RESOLVED = "pending", "firing", "resolved"


class AlertKey(NamedTuple):
    """What an alert is about: at most one is open for each."""

    rule: str
    cluster: str
    kind: str
    name: str


class Subject(NamedTuple):
    """Something that rules judge: its kind (``facts.KINDS``), name and facts.

    ``cause``: what its trouble comes from, where that is known; alerts with one cause are told
    together.
    """

    kind: str
    name: str
    facts: Facts
    cause: str = ""


class PollRound(NamedTuple):
    """What a round of questions to a cluster found, at ``at``.

    ``fresh``: the cluster answered; without, nothing is known but that. ``partial``: kinds of which
    some subjects may be missing in ``subjects``: those that are missing are not known, not gone.
    ``not_asked``: what could not be asked and why, a line each, for people.
    """

    cluster: str
    at: int
    subjects: Sequence[Subject] = ()
    fresh: bool = True
    partial: frozenset[str] = frozenset()
    not_asked: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class AlertRule:
    """When to alert. ``text`` is the condition as it was written.

    ``for_ms``: how long it must hold before the alert fires; ``calm_ms``: how long it must not hold
    before the alert is resolved; ``repeat_ms``: how often an open alert is told again (0: never).
    ``names``: the subjects it is for, ``clusters``: where (None: all). ``notify``: receivers (None:
    those that take what names none). ``close``: whether the end is told.
    """

    name: str
    kind: str
    text: str
    when: Condition
    severity: str = WARNING
    for_ms: int = 0
    calm_ms: int = 0
    repeat_ms: int = 0
    names: re.Pattern[str] | None = None
    exclude: re.Pattern[str] | None = None
    clusters: re.Pattern[str] | None = None
    notify: tuple[str, ...] | None = None
    close: bool = True
    summary: str = ""
    built_in: bool = False

    def covers(self, cluster: str, kind: str, name: str) -> bool:
        """Whether it judges this subject."""
        return (
            kind == self.kind
            and (self.clusters is None or self.clusters.fullmatch(cluster) is not None)
            and (self.names is None or self.names.fullmatch(name) is not None)
            and (self.exclude is None or self.exclude.fullmatch(name) is None)
        )


@dataclass(frozen=True, slots=True)
class Silence:
    """Alerts that are not told from ``start`` (None: always) until ``until``; who said so and why.

    It covers alerts that every pattern given matches as a whole.
    """

    id: str
    until: int
    who: str
    why: str
    start: int | None = None
    patterns: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    """By ``rule``, ``cluster``, ``severity``, ``kind``, ``group``, ``topic``,
    ``broker`` or ``probe``."""

    def covers(self, key: AlertKey, severity: str, now: int) -> bool:
        """Whether it keeps the alert quiet at ``now``."""
        if now >= self.until or (self.start is not None and now < self.start):
            return False
        values = {"rule": key.rule, "cluster": key.cluster, "severity": severity, "kind": key.kind}
        if key.kind in (GROUP, TOPIC, BROKER, PROBE):
            values[key.kind] = key.name
        return all(
            name in values and pattern.fullmatch(values[name]) is not None
            for name, pattern in self.patterns.items()
        )


@dataclass(slots=True)
class Alert:
    """One alert from the moment its condition holds. ``id`` is unique.

    ``since``: when the condition began to hold, ``fired_at``: since when it is told,
    ``calm_since``: since when it holds no longer, ``unknown_since``: since when nobody can say
    whether it holds. ``facts`` are the last that decided. ``incident``: what it was told in.
    ``acknowledged``: who took it on and why.
    """

    id: str
    key: AlertKey
    severity: str
    since: int
    state: str = PENDING
    fired_at: int | None = None
    calm_since: int | None = None
    unknown_since: int | None = None
    unknown_why: str = ""
    resolved_at: int | None = None
    reason: str = ""
    cause: str = ""
    condition: str = ""
    summary: str = ""
    facts: dict[str, object] = field(default_factory=dict)
    incident: str = ""
    acknowledged: str = ""
    acknowledged_at: int | None = None

    def as_dict(self) -> dict[str, object]:
        """As stored, sent and shown."""
        found: dict[str, object] = {name: getattr(self, name) for name in self.__slots__}
        found["key"] = list(self.key)
        found["facts"] = dict(self.facts)
        return found

    @classmethod
    def from_dict(cls, stored: Mapping[str, object]) -> Alert:
        """From ``as_dict``; fields that are not known any more are left out."""
        known = {name: stored[name] for name in cls.__slots__ if name in stored}
        known["key"] = AlertKey(*cast("list[str]", stored["key"]))
        return cls(**known)  # type: ignore[arg-type]


def about(key: AlertKey) -> str:
    """``group billing``, ``broker 3``, ``cluster prod``: what an alert is about, for people."""
    return f"cluster {key.cluster}" if key.kind == CLUSTER else f"{key.kind} {key.name}"
