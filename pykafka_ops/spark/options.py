"""Options of a report beside its input; each report uses those it understands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from pykafka_ops.analysis.cost import CostRules
from pykafka_ops.analysis.freshness import FreshnessRules
from pykafka_ops.analysis.owners import OwnerRules
from pykafka_ops.analysis.skew import CONSUMER_RATE, PRODUCER_RATE
from pykafka_ops.spark.conditions import SectionCondition
from pykafka_ops.spark.model import Column

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Records = Literal["all", "none"]


def _silent(_text: str) -> None:
    """Ignore the progress of a report."""


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """``window`` is the length of a bucket of time in ms (None: the report chooses).

    ``top`` bounds lists such as heavy keys. ``target`` is the throughput a topic should carry, in
    bytes per second. ``strict`` stops at what cannot be read instead of counting it.
    ``checkpoints`` are directories of Structured Streaming jobs (lag). ``history`` has, per section
    of this kind of report, the rows of earlier runs, oldest first, each with ``now`` of its run
    (ms). ``stage`` is called with what is being done, for the progress bar.

    Skew: ``producer_rate`` and ``consumer_rate`` are bytes per second that one partition takes and
    that one consumer reads; ``records``: whether keys and sizes are counted in all records or not
    (None: in those of files, not of a cluster alone); ``key_sample``: of how much of each large
    topic, above 0 and below 1 (None: of all); ``tolerance``: how far a broker may be from its fair
    share of bytes before moves are proposed (0.1: 10 %).

    Cost: prices, and who ``owners`` are (None: not asked for). ``slo`` is
    the objective of freshness. ``sample``: how many records of a topic are looked at (formats).
    ``condition`` is held against rows that a report does not hold, too. ``whole`` writes all rows
    of a section (its name, its columns) that a report holds the first of, and says where they are.
    """

    window: int | None = None
    top: int = 10
    target: float | None = None
    strict: bool = False
    checkpoints: Sequence[str] = ()
    history: Mapping[str, Sequence[Mapping[str, object]]] | None = None
    stage: Callable[[str], None] = _silent
    producer_rate: float = PRODUCER_RATE
    consumer_rate: float = CONSUMER_RATE
    records: Records | None = None
    key_sample: float | None = None
    tolerance: float = 0.1
    cost: CostRules = field(default_factory=CostRules)
    owners: OwnerRules | None = None
    sample: int = 10_000
    slo: FreshnessRules = field(default_factory=FreshnessRules)
    condition: SectionCondition | None = None
    whole: Callable[[str, DataFrame, Sequence[Column]], str] | None = None

    def all_rows(self, section: str, rows: DataFrame, *, known: Sequence[Column]) -> str:
        """Write a section of which a report holds the first rows alone; where it is ("": nobody
        asked for tables). Raises StorageError."""
        return self.whole(section, rows, known) if self.whole is not None else ""
