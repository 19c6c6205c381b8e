"""How far a move of a run is."""

from __future__ import annotations

from dataclasses import dataclass

from pykafka_ops.analysis.moves.waves import PartitionMove

WAITING, MOVING, DONE, FAILED, STOPPED = "waiting", "moving", "done", "failed", "stopped"


@dataclass(slots=True)
class MoveProgress:
    """How far one job is; times in seconds of the monotonic clock."""

    job: PartitionMove
    state: str = WAITING
    copied: int = 0
    started: float | None = None
    ended: float | None = None
    gone: float | None = None

    @property
    def seconds(self) -> float | None:
        """How long it took."""
        if self.started is None or self.ended is None:
            return None
        return round(self.ended - self.started, 1)
