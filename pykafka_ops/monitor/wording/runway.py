"""How long a broker's disks last, from how its free bytes went. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from pykafka_ops.analysis.forecast import fit, reached
from pykafka_ops.client.glance import disk_room
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.wording import line

SOON_SECONDS: Final = 7 * 86_400
NEAR_SECONDS: Final = 30 * 86_400
"""Disks that are full sooner than the first are bad, sooner than the second worth a look."""
LEAST_MS: Final = 1_800_000
"""Growth over days is not known from a history shorter than this."""
LEAST_LOOKS: Final = 3
REACH: Final = 10
"""Growth within minutes is known from so many different numbers of free bytes, and foretells what
comes within so many times that span."""
FreeAt = tuple[int, float]
"""A time in ms, and the free bytes then."""
TIGHT, SHORT = 0.1, 0.2
"""Shares of free space below which a disk is bad, or worth a look, however it grows."""


class DiskRunway(NamedTuple):
    """A broker's disks: free and all bytes, growth in bytes a second, seconds until full (None:
    they do not fill, or growth is not known), the share that is free."""

    broker: int
    free: int | None
    total: int | None
    growth: float | None
    full_in: float | None

    @property
    def share(self) -> float | None:
        """The free share, 0 to 1."""
        return self.free / self.total if self.free is not None and self.total else None

    @property
    def tone(self) -> str:
        """How bad it is; unknown is never good."""
        share, left = self.share, self.full_in
        if share is None:
            return line.WARN
        if share < TIGHT or (left is not None and left < SOON_SECONDS):
            return line.BAD
        if share < SHORT or (left is not None and left < NEAR_SECONDS):
            return line.WARN
        return line.GOOD if self.growth is not None else line.NONE


def disks(view: ClusterView, most: int) -> list[DiskRunway]:
    """The brokers with the least free space first, ``most`` at most, then every one that does not
    tell: it is down, or its answer is missing. Growth is not known yet."""
    found = [
        _disk(view, id_) if row["state"] == "up" else DiskRunway(id_, None, None, None, None)
        for row in view.brokers
        for id_ in [int(str(row["id"]))]
    ]
    found.sort(key=lambda d: (d.share is None, d.share or 0.0, d.broker))
    known = [d for d in found if d.free is not None]
    return known[:most] + [d for d in found if d.free is None]


def _disk(view: ClusterView, broker: int) -> DiskRunway:
    room = disk_room(view.dirs or {}, broker)
    return DiskRunway(broker, room.free, room.total, None, None)


def with_growth(
    disk: DiskRunway, free: Sequence[FreeAt], recent: Sequence[FreeAt] = ()
) -> DiskRunway:
    """The disk with its growth, by the line through its free bytes over time (ms).

    ``recent`` are those of the last minutes: where they fall to nothing sooner, they count. But
    their line reaches no further than ``REACH`` times as far as they go back. Where they grow, and
    nothing else is known, the disk does not fill.
    """
    if disk.free is None:
        return disk
    found = disk
    if free and free[-1][0] - free[0][0] >= LEAST_MS:
        found = _by_line(disk, free)
    if len({value for _, value in recent}) >= LEAST_LOOKS:
        soon, span = _by_line(disk, recent), (recent[-1][0] - recent[0][0]) / 1000
        left = found.full_in
        if soon.full_in is not None and soon.full_in <= REACH * span:
            return soon if left is None or soon.full_in < left else found
        if soon.full_in is None and found.growth is None:
            return soon
    return found


def _by_line(disk: DiskRunway, free: Sequence[FreeAt]) -> DiskRunway:
    fitted = fit([(at / 1000, value) for at, value in free])
    if fitted is None or disk.free is None:
        return disk
    growth = -fitted.slope
    return disk._replace(growth=growth, full_in=reached(-float(disk.free), growth, 0.0))
