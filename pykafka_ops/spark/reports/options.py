"""What a report is asked beyond its inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from pykafka_ops.analysis.skew import CONSUMER_RATE, PRODUCER_RATE
from pykafka_ops.spark.model import Row

Records = Literal["all", "sample", "none"]
#: Rows of the longest tables unless another number is asked for.
TOP: Final = 20


@dataclass(frozen=True, slots=True)
class Options:
    """``window``: length of the buckets of time in ms, None: chosen by the span; ``top``: how many
    of the heaviest keys are named; ``strict``: damage is an error.

    ``history``: rows of earlier runs of the same kind by section, each with ``run_at`` (ms), the
    ``now`` of that run. ``checkpoints``: directories of Spark jobs (lag).

    Skew: ``target``: bytes per second a topic shall carry, None: the measured peak;
    ``producer_rate``, ``consumer_rate``: bytes/s that one partition takes, that one consumer reads;
    ``records``: whether keys and sizes are counted in all records, in a ``share`` of them (0 to 1),
    or not; ``tolerance``: how far a broker may be from its fair share of bytes (0.1: 10 %).
    """

    window: int | None = None
    top: int = TOP
    strict: bool = False
    history: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    checkpoints: Sequence[str] = ()
    target: float | None = None
    producer_rate: float = PRODUCER_RATE
    consumer_rate: float = CONSUMER_RATE
    records: Records = "all"
    share: float = 0.01
    tolerance: float = 0.1
