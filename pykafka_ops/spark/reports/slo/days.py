"""Days of groups in topics: those of this run, and those that earlier runs kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pykafka_ops.analysis.freshness import FreshnessRules
from pykafka_ops.analysis.kept_days import DaySpans, KeptBudget, budget_of, merged
from pykafka_ops.spark.model import Row

Key = tuple[str, str]
Days = dict[int, DaySpans]
_NONE: Final = KeptBudget(0, None, None)


class ObjectiveDays:
    """``found`` are the rows of BUDGETS, ``kept`` those of the section ``days`` of earlier runs,
    oldest first. Days that another ``--slo`` was held against do not count."""

    def __init__(
        self,
        found: Sequence[Mapping[str, Any]],
        kept: Sequence[Mapping[str, Any]],
        rules: FreshnessRules,
        now: int,
    ) -> None:
        self._rules = rules
        runs: dict[Key, dict[int, Days]] = {}
        for row in kept:
            if row["slo_seconds"] == rules.limit_ms / 1000:
                spans = (row[f"{name}_seconds"] for name in DaySpans._fields)
                of_run = runs.setdefault((row["group"], row["topic"]), {}).setdefault(
                    row["now"], {}
                )
                of_run[row["day"]] = DaySpans(*(round(1000 * seconds) for seconds in spans))
        for one in found:
            own = {d["day"]: DaySpans(d["fresh"], d["late"], d["unknown"]) for d in one["days"]}
            runs.setdefault((one["group"], one["topic"]), {})[now] = own
        self._days = {
            key: merged((of_run for _, of_run in sorted(each.items())), now)
            for key, each in runs.items()
        }

    def budget(self, group: str, topic: str) -> KeptBudget:
        """Over all days of a group in a topic."""
        days = self._days.get((group, topic))
        return _NONE if days is None else budget_of(days, self._rules.objective)

    def rows(self) -> Iterator[Row]:
        """The section ``days``, by name, the newest day first."""
        for (group, topic), days in sorted(self._days.items()):
            for day, spans in sorted(days.items(), reverse=True):
                yield {
                    "group": group,
                    "topic": topic,
                    "day": day,
                    "fresh_share": spans.fresh / spans.known if spans.known else None,
                    **{f"{name}_seconds": ms / 1000 for name, ms in spans._asdict().items()},
                    "slo_seconds": self._rules.limit_ms / 1000,
                }
