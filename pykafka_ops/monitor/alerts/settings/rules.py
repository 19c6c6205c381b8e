"""``[[alert]]`` and ``[[silence]]``: when to send messages, and when not to."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from typing import Final

from pykafka_ops.analysis.conditions import Condition, ConditionError, parse_condition
from pykafka_ops.analysis.near import did_you_mean
from pykafka_ops.errors import UsageError
from pykafka_ops.monitor.alerts.rules.facts import (
    AUDIT,
    BROKER,
    FACTS,
    GROUP,
    KINDS,
    MIRROR,
    PROBE,
    TOPIC,
    uncertain,
)
from pykafka_ops.monitor.alerts.rules.model import SEVERITIES, WARNING, AlertRule, Silence
from pykafka_ops.monitor.alerts.settings.checked import CheckedTable

_NAMES: Final = {
    "groups": GROUP, "topics": TOPIC, "brokers": BROKER, "probes": PROBE, "mirrors": MIRROR,
    "audits": AUDIT,
}  # fmt: skip
"""Keys with a pattern of names, and the kind of subject that each sets."""
LATER: Final = (MIRROR, AUDIT)
"""Kinds that have facts in common with groups: a rule for them says so."""
ALERT_KEYS: Final = (
    "name", "when", "of", *_NAMES, "exclude", "clusters", "for", "calm", "repeat", "severity",
    "notify", "close", "summary", "enabled",
)  # fmt: skip
SILENCE_KEYS: Final = (
    "until", "from", "who", "why", "rule", "cluster", "severity", *_NAMES,
)  # fmt: skip
MOST_NAME: Final = 200


def alert_rule(
    values: Mapping[str, object], place: str, receivers: Collection[str], *, built_in: bool = False
) -> AlertRule | None:
    """The rule of a table; None for one that is switched off. UsageError."""
    table = CheckedTable(place, values)
    table.only(ALERT_KEYS)
    name, text = table.text("name")[:MOST_NAME], table.text("when")
    kind = _kind(table, text)
    names = {key for key in _NAMES if key in values}
    found = AlertRule(
        name=name,
        kind=kind,
        text=text,
        when=_condition(table, text, kind),
        severity=table.choice("severity", SEVERITIES, WARNING),
        for_ms=table.span("for", 0),
        calm_ms=table.span("calm", 0),
        repeat_ms=table.span("repeat", 0),
        names=table.pattern(names.pop()) if names else None,
        exclude=table.pattern("exclude"),
        clusters=table.pattern("clusters"),
        notify=_notify(table, receivers),
        close=table.flag("close", default=True),
        summary=(table.maybe("summary") or "")[:1000],
        built_in=built_in,
    )
    return found if table.flag("enabled", default=True) else None


def _kind(table: CheckedTable, text: str) -> str:
    """The kind of the rule: as configured, else the one that has all facts of the condition."""
    said = [_NAMES[key] for key in _NAMES if key in table.values]
    if "of" in table.values:
        said.insert(0, table.choice("of", KINDS))
    if len(set(said)) > 1:
        raise table.wrong("when", f"a rule is about one kind, not about {' and '.join(said)}s")
    if said:
        return said[0]
    fitting = [kind for kind in KINDS if _fits(text, kind)]
    fitting = [kind for kind in fitting if kind not in LATER] or fitting
    if len(fitting) == 1:
        return fitting[0]
    if not fitting:
        _condition(table, text, _nearest(text))  # says what is wrong with it
    choices = " or ".join(f'"{kind}"' for kind in fitting or KINDS)
    raise table.wrong("of", f"is missing: write of = {choices}")


def _fits(text: str, kind: str) -> bool:
    try:
        parse_condition(text, FACTS[kind])
    except ConditionError:
        return False
    return True


def _nearest(text: str) -> str:
    """The kind to name in the error where none has all facts: the one that has the most."""
    return max(KINDS, key=lambda kind: sum(name in text for name in FACTS[kind]))


def _condition(table: CheckedTable, text: str, kind: str) -> Condition:
    try:
        return parse_condition(text, FACTS[kind], uncertain)
    except ConditionError as error:
        said = str(error)
        if said.startswith("there is no field "):
            word, _, known = said.removeprefix("there is no field ").partition(": choose from ")
            said = f"a {kind} has no fact {word}{did_you_mean(word, FACTS[kind])}: it has {known}"
        raise table.wrong("when", said) from None


def _notify(table: CheckedTable, receivers: Collection[str]) -> tuple[str, ...] | None:
    names = table.texts("notify")
    for name in names or ():
        if name not in receivers:
            hint = did_you_mean(name, receivers) or f"; there are: {', '.join(receivers) or 'none'}"
            raise table.wrong("notify", f"there is no [notify.{name}]{hint}")
    return names


def silence(values: Mapping[str, object], place: str) -> Silence:
    """The silence of a table, or of a request; UsageError."""
    table = CheckedTable(place, values)
    table.only(SILENCE_KEYS)
    until, start = table.moment("until"), table.moment("from")
    if until is None:
        raise table.wrong("until", "is missing: write until = 2026-11-21T08:00:00Z")
    if start is not None and start >= until:
        raise table.wrong("until", "is not after from")
    patterns = {}
    for key in ("rule", "cluster", "severity", *_NAMES):
        pattern = table.pattern(key)
        if pattern is not None:
            patterns[_NAMES.get(key, key)] = pattern
    if not patterns:
        known = ", ".join(("rule", "cluster", "severity", *_NAMES))
        raise UsageError(f'{place}: say what it covers by one of {known} (cluster = ".*": all)')
    who, why = table.text("who", "configuration"), table.text("why")
    said = repr((until, start, who, why, sorted((k, p.pattern) for k, p in patterns.items())))
    id_ = hashlib.sha256(said.encode()).hexdigest()[:16]
    return Silence(id_, until, who[:MOST_NAME], why[:1000], start, patterns)
