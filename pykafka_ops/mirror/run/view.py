"""A link as one process sees it: plain values for /status, /metrics and the log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pykafka_ops.client.leaders import Partition
from pykafka_ops.mirror.copy.tasks import CopyProgress, CopyTask
from pykafka_ops.mirror.run.meter import Rates
from pykafka_ops.mirror.run.outlook import LinkOutlook
from pykafka_ops.mirror.settings.model import LinkSettings
from pykafka_ops.mirror.work.seat import Seated


@dataclass(slots=True)
class LinkView:
    """``state`` is starting, copying, paused or trouble. Partitions are those of the source that
    this process copies."""

    link: LinkSettings
    state: str = "starting"
    seated: Seated | None = None
    outlook: LinkOutlook | None = None
    tasks: Mapping[Partition, CopyTask] = field(default_factory=dict)
    progress: Mapping[Partition, CopyProgress] = field(default_factory=dict)
    rates: Mapping[Partition, Rates] = field(default_factory=dict)
    trouble: str | None = None
    rounds: int = 0
    failed_rounds: int = 0
    joins: int = 0
    records: int = 0
    bytes: int = 0
    last_round_ms: int = -1
    offsets: Mapping[str, Any] = field(default_factory=dict)
    """What the translation of offsets says of itself, in the process that does it."""
