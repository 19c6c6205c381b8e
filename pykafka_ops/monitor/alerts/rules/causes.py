"""The causes of alerts in a round: a broker that is down explains many others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from pykafka_ops.monitor.alerts.rules.facts import BROKER
from pykafka_ops.monitor.alerts.rules.model import AlertRule, Subject

OF_BROKERS: Final = frozenset(
    {"offline", "under_replicated", "under_min_isr", "at_min_isr", "not_preferred", "lagging",
     "brokers", "brokers_missing", "brokers_silent", "brokers_fenced", "elr", "imbalance_percent"}
)  # fmt: skip
"""Facts that get worse when a broker is down."""
GONE: Final = ("down", "silent")
NAMED: Final = 5


def brokers_down(subjects: Iterable[Subject]) -> str:
    """``broker 3 is down``, ``brokers 1, 3 are down``; "" where all are up or unknown."""
    down = sorted(
        (s.name for s in subjects if s.kind == BROKER and s.facts.get("state") in GONE),
        key=lambda name: (len(name), name),
    )
    if not down:
        return ""
    shown = ", ".join(down[:NAMED]) + (", ..." if len(down) > NAMED else "")
    return f"broker {shown} is down" if len(down) == 1 else f"brokers {shown} are down"


def cause_of(rule: AlertRule, subject: Subject, down: str) -> str:
    """The subject's own cause; else ``down`` for a rule about facts in ``OF_BROKERS``; else
    none."""
    if subject.cause or not down:
        return subject.cause
    asked: Sequence[str] = rule.when.fields
    if subject.kind == BROKER:
        gone = subject.facts.get("state") in GONE
        return down if gone and "state" in asked else ""
    return down if any(name in OF_BROKERS for name in asked) else ""
