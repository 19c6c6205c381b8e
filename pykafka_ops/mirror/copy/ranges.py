"""A position that the source's log does not have: deleted before it was copied, or cut off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.failure_text import in_one_line
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.offsets import EARLIEST, LATEST, Offset, list_offsets
from pykafka_ops.errors import PkoError
from pykafka_ops.mirror.copy.lane import CopyLane


def move_into_range(cluster: Cluster, lane: CopyLane, now: float, *, read_committed: bool) -> None:
    """Go on where the source's log begins, or ends, and say what is missing."""
    first = _offset(cluster, lane, EARLIEST, read_committed=False)
    end = _offset(cluster, lane, LATEST, read_committed=read_committed)
    if isinstance(first, PkoError) or isinstance(end, PkoError):
        why = first if isinstance(first, PkoError) else end
        lane.stop(f"its range at the source is not known: {in_one_line(why)}", now, after=1.0)  # type: ignore[arg-type]
    elif lane.position < first:
        note = f"the source deleted offsets {lane.position} to {first - 1} before they were copied"
        lane.move(first, note, now)
    elif lane.position > end:
        note = (
            f"the source ends at offset {end}, {lane.position} was next: its log was cut off, and "
            "what is new is copied from there"
        )
        lane.move(end, note, now)


def _offset(cluster: Cluster, lane: CopyLane, time: int, *, read_committed: bool) -> int | PkoError:
    found = list_offsets(cluster, {lane.source: time}, read_committed=read_committed)[lane.source]
    return found if isinstance(found, PkoError) else found.offset


def refresh_ends(cluster: Cluster, lanes: Sequence[CopyLane], *, read_committed: bool) -> None:
    """Ask where the source ends for partitions that are not read now."""
    wanted = {lane.source: LATEST for lane in lanes}
    found = list_offsets(cluster, wanted, read_committed=read_committed) if wanted else {}
    for lane in lanes:
        end = found.get(lane.source)
        if isinstance(end, Offset):
            lane.source_end = end.offset


def starts(
    cluster: Cluster, wanted: Mapping[Partition, int], *, read_committed: bool
) -> dict[Partition, int | PkoError]:
    """Where partitions begin that were never copied: an offset as it is, EARLIEST and LATEST as
    the source has them now."""
    found: dict[Partition, int | PkoError] = {p: at for p, at in wanted.items() if at >= 0}
    for time in (EARLIEST, LATEST):
        asked = {p: at for p, at in wanted.items() if at == time}
        got = list_offsets(cluster, asked, read_committed=read_committed) if asked else {}
        found.update({p: o.offset if isinstance(o, Offset) else o for p, o in got.items()})
    return found
