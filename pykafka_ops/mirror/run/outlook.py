"""What a link has to do, as of its last look at both clusters. Values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pykafka_ops.client.leaders import Partition
from pykafka_ops.mirror.control.state import ControlState, MirrorPause
from pykafka_ops.mirror.copy.tasks import CopyTask
from pykafka_ops.mirror.sync.plan import SyncPlan


@dataclass(slots=True)
class LinkOutlook:
    """``tasks`` are by partition of the source; ``control`` says what is paused."""

    at_ms: int
    plan: SyncPlan
    control: ControlState
    tasks: Mapping[Partition, CopyTask] = field(default_factory=dict)
    troubles: Mapping[str, str] = field(default_factory=dict)
    """By what they are about."""

    @property
    def targets(self) -> dict[Partition, Partition]:
        """Partitions of the target, and of which of the source they are copies."""
        return {task.target: source for source, task in self.tasks.items()}

    def pause_of(self, source: Partition) -> MirrorPause | None:
        """What holds a partition of the source back; None."""
        return self.control.paused(*source)


class DeepFindings:
    """What only a look at settings and rules finds stands until the next such look."""

    def __init__(self) -> None:
        self._troubles: dict[str, str] = {}
        self._notes: list[str] = []

    def add(self, outlook: LinkOutlook, *, deep: bool) -> None:
        """Keep what a deep look has found; add it to another one."""
        if deep:
            found = outlook.troubles.items()
            self._troubles = {k: v for k, v in found if not k.startswith(_EVERY_LOOK)}
            self._notes = list(outlook.plan.notes)
            return
        outlook.troubles = {**self._troubles, **outlook.troubles}
        new = [note for note in outlook.plan.notes if note not in self._notes]
        outlook.plan.notes = [*self._notes, *new]


_EVERY_LOOK = ("topic ", "deleted topic ")
"""How the troubles begin that any look finds again."""
