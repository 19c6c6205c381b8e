"""``--fail-on``: limits on the figures of a round, as a row beside the steps."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pykafka_ops.analysis.conditions import Condition, ConditionField
from pykafka_ops.client.smoke.plan import FAILED, NOT_RUN, OK, STEPS, StepOutcome

_NAMES = (*(f"{step.name}_ms" for step in STEPS), "total_ms", "failed", "brokers")
FIELDS = dict.fromkeys(_NAMES, ConditionField(spare=True))
"""A figure that is missing does not meet a condition: ``judged`` says that it is not known."""
NAME = "fail-on"
_WORD = re.compile(r"[A-Za-z_][\w-]*")


def judged(
    outcomes: Sequence[StepOutcome], brokers: int, text: str, condition: Condition
) -> StepOutcome:
    """Whether the condition holds; not known where a figure that it names is missing."""
    times = {f"{o.step}_ms": o.ms for o in outcomes}
    row: dict[str, object] = {
        **times,
        "total_ms": round(sum(ms or 0 for ms in times.values()), 1),
        "failed": sum(o.verdict == FAILED for o in outcomes),
        "brokers": brokers,
    }
    words = (word.replace("-", "_") for word in _WORD.findall(text))
    named = [word for word in dict.fromkeys(words) if word in FIELDS]
    values = ", ".join(f"{word} is {row[word]}" for word in named if row[word] is not None)
    if condition(row):
        return StepOutcome(NAME, FAILED, None, text, values)
    missing = [word for word in named if row[word] is None]
    if missing:
        return StepOutcome(NAME, NOT_RUN, None, reason=f"{', '.join(missing)} is not known")
    return StepOutcome(NAME, OK, None, detail=values)
