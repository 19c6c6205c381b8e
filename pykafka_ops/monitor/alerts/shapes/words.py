"""The text of messages. Names come from a cluster: they may hold any characters, at any length."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Final, cast
from urllib.parse import quote

from pykafka_ops.analysis.moments import moment_text
from pykafka_ops.monitor.alerts.rules.incidents import CLOSE, REPEAT, Notice
from pykafka_ops.monitor.alerts.rules.model import AlertKey, about

SHOWN: Final = 20
"""Alerts that a text lists; it counts the others."""
NAME: Final = 200
"""Characters shown of a name."""
_WORD: Final = re.compile(r"[A-Za-z_][\w-]*")
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})


def clean(value: object, most: int = NAME) -> str:
    """A text in one line, at most ``most`` characters. Characters that control a terminal, change
    the direction of text or cannot be encoded become escapes."""
    text = str(value)
    cut = text[:most]
    plain = "".join(_visible(c) if unicodedata.category(c) in _HIDDEN else c for c in cut)
    return plain if len(text) <= most else plain[: most - 3] + "..."


def _visible(c: str) -> str:
    number = ord(c)
    return f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}"


def key_of(alert: Mapping[str, object]) -> AlertKey:
    """The key of an alert of a notice."""
    return AlertKey(*cast("Sequence[str]", alert["key"]))


def cause_words(notice: Notice) -> str:
    """What these alerts have in common: the cause, else the rule."""
    return clean(notice.cause.removeprefix("rule "))


def title(notice: Notice) -> str:
    """The message in one line, without line breaks."""
    state = {CLOSE: "RESOLVED", REPEAT: "STILL FIRING"}.get(notice.phase, "FIRING")
    first = clean(about(key_of(notice.alerts[0]))) if notice.alerts else ""
    more = f" and {notice.total - 1} more" if first and notice.total > 1 else ""
    what = f": {first}{more}" if first else ""
    return f"{state} {notice.severity}: {cause_words(notice)} in {clean(notice.cluster)}{what}"


def lines(notice: Notice, most: int = SHOWN) -> list[str]:
    """A line for each alert, at most ``most`` and one that counts the others."""
    shown = [line(alert) for alert in notice.alerts[:most]]
    left = notice.total - len(shown)
    return [*shown, f"and {left} more"] if left > 0 else shown


def line(alert: Mapping[str, object]) -> str:
    """An alert in one line: its subject, the facts of its condition, since when."""
    key = key_of(alert)
    said = f"{clean(key.rule)}: {clean(about(key))}"
    facts = asked_facts(alert)
    if facts:
        said += f" ({', '.join(f'{name} {clean(value)}' for name, value in facts.items())})"
    if alert.get("resolved_at") is not None:
        return f"{said}: {clean(alert.get('reason'))}, {time_text(alert['resolved_at'])}"
    said += f" since {time_text(alert.get('since'))}"
    if alert.get("unknown_since") is not None:
        said += f"; unknown since {time_text(alert['unknown_since'])}"
    if alert.get("acknowledged"):
        said += f"; acknowledged by {clean(alert['acknowledged'])}"
    return said


def asked_facts(alert: Mapping[str, object]) -> dict[str, object]:
    """The facts in the condition, as they were when it held last."""
    facts = cast("Mapping[str, object]", alert.get("facts") or {})
    words = [word.replace("-", "_") for word in _WORD.findall(str(alert.get("condition")))]
    return {word: facts[word] for word in words if facts.get(word) is not None}


def summaries(notice: Notice) -> list[str]:
    """The summaries of the rules, each once."""
    said = [clean(a["summary"], 500) for a in notice.alerts if a.get("summary")]
    return list(dict.fromkeys(said))[:5]


def time_text(ms: object) -> str:
    """ISO 8601, UTC; "" where there is no time."""
    return moment_text(int(ms)) if isinstance(ms, int | float) else ""


def link(url: str, notice: Notice) -> str:
    """The address of the monitor's page about this incident; "" where ``url`` is empty."""
    return f"{url}/c/{quote(notice.cluster, safe='')}/alerts#{notice.incident}" if url else ""
