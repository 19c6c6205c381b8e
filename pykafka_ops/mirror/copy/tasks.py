"""What a copier is told, and what it says of its work. Values only."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, Protocol

from pykafka_ops.client.group_offsets import Committed
from pykafka_ops.client.leaders import Partition
from pykafka_ops.errors import WireError
from pykafka_ops.mirror.copy.pieces import TargetLimits
from pykafka_ops.wire.types import ZERO_UUID, parse_uuid, uuid_text

RoundState = Literal["copied", "idle", "fenced", "trouble"]


class SeatLike(Protocol):
    """A member of the link's group at the target, in one generation."""

    @property
    def group(self) -> str:
        """The group's id; positions are committed there."""

    @property
    def member_id(self) -> str:
        """ "" where there is no membership: then the generation is -1."""

    @property
    def generation(self) -> int:
        """The generation; -1 without membership."""

    @property
    def slot(self) -> int:
        """A number that no other member has now; the transactional id ends with it."""


class LoneSeat(NamedTuple):
    """For who works alone: no membership, nothing fenced but by the transactional id."""

    group: str
    member_id: str = ""
    generation: int = -1
    slot: int = 0


class CopyTask(NamedTuple):
    """One partition of the source to copy.

    ``start``: where to begin if nothing was committed: an offset, or ``EARLIEST`` or ``LATEST`` of
    ``client.offsets``. ``topic_id``: of the source's topic, zeros where it has none.
    """

    target: Partition
    start: int
    topic_id: bytes = ZERO_UUID
    limits: TargetLimits = TargetLimits()


class CopyProgress(NamedTuple):
    """How far a partition is; -1 where something is not known.

    ``position``: the next source offset to copy; what is before it is committed. ``source_end``:
    the source's end (the last stable offset where it is read committed). ``target_end``: behind
    the last record written. ``records`` and ``bytes``: committed since the start of the copier.
    ``last_record_ms``: timestamp of the last record committed. ``lag_bytes``: estimated from the
    mean size. ``lag_ms``: since when records wait, at most. ``skipped``: records that were too
    large; ``lost``: offsets that the source deleted before they were copied. ``trouble``: why it
    does not go on, or None; ``note``: what happened that somebody should know, or None.
    """

    position: int
    source_end: int
    target_end: int
    records: int
    bytes: int
    last_record_ms: int
    lag_bytes: int
    lag_ms: int
    skipped: int
    lost: int
    trouble: str | None
    note: str | None

    @property
    def lag(self) -> int:
        """Source offsets still to copy; -1: not known."""
        if self.position < 0 or self.source_end < 0:
            return -1
        return max(0, self.source_end - self.position)


class RoundResult(NamedTuple):
    """How a round went: records and bytes that were committed.

    ``idle``: there was nothing to copy. ``fenced``: the membership is no longer valid, join again.
    ``trouble``: one of the clusters is away or refuses; the next round tries again.
    """

    state: RoundState
    records: int = 0
    bytes: int = 0
    trouble: str | None = None


class CommitNote(NamedTuple):
    """The metadata of a committed position: the source topic's id (zeros: unknown), the leader
    epoch of the last record (-1), and which life of the topic this is (0: the first)."""

    topic_id: bytes = ZERO_UUID
    epoch: int = -1
    life: int = 0


def committed(position: int, note: CommitNote) -> Committed:
    """A position as it is committed in the target's group."""
    said: dict[str, Any] = {"id": uuid_text(note.topic_id), "epoch": note.epoch}
    if note.life:
        said["life"] = note.life
    return Committed(position, -1, json.dumps(said, separators=(",", ":")))


def note_of(found: Committed) -> CommitNote:
    """What the metadata of a position says; somebody else's metadata say nothing."""
    try:
        said = json.loads(found.metadata or "{}")
    except (ValueError, RecursionError):
        return CommitNote()
    if not isinstance(said, Mapping):
        return CommitNote()
    try:
        topic_id = parse_uuid(str(said.get("id", "")))
    except WireError:
        topic_id = ZERO_UUID
    return CommitNote(topic_id, _number(said.get("epoch"), -1), _number(said.get("life"), 0))


def _number(value: object, otherwise: int) -> int:
    ok = isinstance(value, int) and not isinstance(value, bool) and -1 <= value < 1 << 63
    return int(value) if ok else otherwise  # type: ignore[call-overload]
