"""What the rules of alerts read, and what they remember. Times and spans in ms."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, cast

from pykafka_ops.analysis.conditions import Condition
from pykafka_ops.monitor.alerts.rules.facts import CLUSTER, Facts

INFO, WARNING, CRITICAL = "info", "warning", "critical"
SEVERITIES: Final = (INFO, WARNING, CRITICAL)
"""The least severe first."""
MOST_TEXT: Final = 1_024
"""Characters kept of a text from a cluster."""
PENDING, FIRING, RESOLVED = "pending", "firing", "resolved"


class AlertKey(NamedTuple):
    """Identifies an alert: at most one is open for each key."""

    rule: str
    cluster: str
    kind: str
    name: str


class Subject(NamedTuple):
    """Something that rules apply to: its kind (``facts.KINDS``), name and facts.

    ``cause``: why something is wrong with it, where that is known; alerts with the same cause
    share a message.
    """

    kind: str
    name: str
    facts: Facts
    cause: str = ""


class PollRound(NamedTuple):
    """What the monitor found out about a cluster in one round, at ``at``.

    ``fresh``: the cluster answered; otherwise only that is known. ``partial``: kinds of which
    ``subjects`` may lack some; those are unknown, not gone. ``not_asked``: a line for people about
    each question without an answer.
    """

    cluster: str
    at: int
    subjects: Sequence[Subject] = ()
    fresh: bool = True
    partial: frozenset[str] = frozenset()
    not_asked: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class AlertRule:
    """When to alert. ``text`` is the condition as the configuration has it.

    ``for_ms``: how long it must hold before the alert fires; ``calm_ms``: how long it must not hold
    before the alert resolves; ``repeat_ms``: how often to repeat an open alert (0: never).
    ``names``: the subjects it is for, ``clusters``: where (None: all). ``notify``: receivers (None:
    the default ones). ``close``: whether to send a message when it resolves.
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
        """Whether the rule applies to this subject."""
        return (
            kind == self.kind
            and (self.clusters is None or self.clusters.fullmatch(cluster) is not None)
            and (self.names is None or self.names.fullmatch(name) is not None)
            and (self.exclude is None or self.exclude.fullmatch(name) is None)
        )


@dataclass(frozen=True, slots=True)
class Silence:
    """Holds back messages from ``start`` (None: always) until ``until``; who wants that and why.

    It covers alerts that match every given pattern, by the whole name.
    """

    id: str
    until: int
    who: str
    why: str
    start: int | None = None
    patterns: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    """By ``rule``, ``cluster``, ``severity``, ``kind``, ``group``, ``topic``,
    ``broker``, ``probe``, ``mirror`` or ``audit``."""

    def covers(self, key: AlertKey, severity: str, now: int) -> bool:
        """Whether it covers the alert at ``now``."""
        if now >= self.until or (self.start is not None and now < self.start):
            return False
        values = {"rule": key.rule, "cluster": key.cluster, "severity": severity, "kind": key.kind}
        if key.kind != CLUSTER:
            values[key.kind] = key.name
        return all(
            name in values and pattern.fullmatch(values[name]) is not None
            for name, pattern in self.patterns.items()
        )


@dataclass(slots=True)
class Alert:
    """One alert from the moment its condition holds. ``id`` is unique.

    ``since``: when the condition began to hold, ``fired_at``: when the alert fired,
    ``calm_since``: since when the condition does not hold, ``unknown_since``: since when a fact is
    unknown. ``facts``: those with which the condition held last. ``incident``: the incident that
    it is part of. ``acknowledged``: who acknowledged it and why.
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
        """From ``as_dict``; fields of other releases are left out."""
        known = {name: stored[name] for name in cls.__slots__ if name in stored}
        known["key"] = AlertKey(*cast("list[str]", stored["key"]))
        return cls(**known)  # type: ignore[arg-type]


def about(key: AlertKey) -> str:
    """The subject of an alert for people: ``group billing``, ``broker 3``, ``cluster prod``."""
    return f"cluster {key.cluster}" if key.kind == CLUSTER else f"{key.kind} {key.name}"
