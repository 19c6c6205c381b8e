"""``pko mirror offsets``: where groups, or single offsets, are at the target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.group_offsets import Committed, Offsets, fetch_offsets
from pykafka_ops.client.leaders import Partition
from pykafka_ops.commands.framework.output import Column, ItemError, Table, numbers
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.mirror.configured import chosen_links, ends_of, read_settings
from pykafka_ops.commands.mirror.each import side_by_side
from pykafka_ops.commands.mirror.plan import link_error
from pykafka_ops.commands.mirror.words import partition_of
from pykafka_ops.errors import PkoError, UsageError
from pykafka_ops.mirror.groups.sync import GroupOutcome, GroupSync
from pykafka_ops.mirror.groups.translation import AHEAD, EXACT, TranslatedCommit, place_of
from pykafka_ops.mirror.groups.writing import state_of
from pykafka_ops.mirror.run.clients import at, connected
from pykafka_ops.mirror.settings.model import LinkSettings, MirrorSettings

Row = dict[str, object]
BAD = ("ahead", "old", "unknown", "failed")
_PLACES = (
    Column("topic"),
    *numbers("partition", "offset"),
    Column("target_topic", spare=True),
    *numbers("target_offset"),
)
_STATE = Column("state", bad=lambda value: value in BAD)
OFFSETS = (Column("link"), *_PLACES, _STATE)
GROUPS = (Column("link"), Column("group"), *_PLACES, *numbers("committed", "slack"), _STATE)


class _LinkOffsets(NamedTuple):
    """The part of the answer that is about one link."""

    rows: list[Row]
    errors: list[ItemError]
    notes: list[str]


def offsets(run: Run) -> Table:
    """A row for each offset asked for, or for each partition of the groups."""
    single = _asked(run)
    settings = read_settings(run)
    rows: list[Row] = []
    errors: list[ItemError] = []
    notes: list[str] = []
    links = chosen_links(run, settings)
    answers = side_by_side(links, lambda link: _of_link(run, settings, link, single))
    for link, answer in zip(links, answers, strict=True):
        if isinstance(answer, PkoError):
            errors.append(link_error(link.name, answer))
            continue
        rows += answer.rows
        errors += answer.errors
        notes += answer.notes
    columns = OFFSETS if single is not None else GROUPS
    kind = "mirror-offsets" if single is not None else "mirror-groups"
    return Table(kind, columns, rows, errors=errors, notes=notes, name="target_offset")


def _asked(run: Run) -> tuple[list[Partition], int] | None:
    """The partitions and the offset of ``--partition`` and ``--offset``. UsageError."""
    places = [partition_of(text) for text in run.args.texts("partition")]
    offset = run.args.number("offset")
    if not places and offset is None:
        return None
    if not places or offset is None:
        raise UsageError("--partition and --offset go together: which offset of which partition?")
    if run.args.names("group"):
        raise UsageError("give --group, or --partition and --offset")
    return places, offset


def _of_link(
    run: Run,
    settings: MirrorSettings,
    link: LinkSettings,
    single: tuple[list[Partition], int] | None,
) -> _LinkOffsets:
    source, target = (connected(config) for config in ends_of(settings, link))
    try:
        with at(link.source):
            source.metadata([])
        with at(link.target):
            target.metadata([])
        sync = GroupSync(source, target, link)
        if single is not None:
            return _LinkOffsets(_single(sync, *single), [], [])
        outcome = sync.look(run.args.names("group") or None)
        notes = [f"pko: {link.name}: {line}" for line in outcome.troubles]
        errors = [
            ItemError(group.group, "FAILED", group.trouble)
            for group in outcome.groups.values()
            if group.state == "failed"
        ]
        rows = _groups(link, target, list(outcome.groups.values()), notes)
        return _LinkOffsets(rows, errors, notes)
    finally:
        source.close()
        target.close()


def _single(sync: GroupSync, places: Sequence[Partition], offset: int) -> list[Row]:
    name = sync.chooser.naming.target_topic
    known = sync.known([(name(topic), n) for topic, n in places])
    asked = Committed(offset, -1, "")
    found = [place_of(place, name(place[0]), asked, known) for place in places]
    return [{"link": sync.link.name, **_place(place)} for place in found]


def _groups(
    link: LinkSettings, target: Cluster, groups: list[GroupOutcome], notes: list[str]
) -> list[Row]:
    named = [group.group for group in groups if group.places]
    current = fetch_offsets(target, named) if named else {}
    rows: list[Row] = []
    for group in groups:
        there = current.get(group.group, {})
        if isinstance(there, PkoError):
            notes.append(f"pko: {link.name}: {group.group}: {there}")
            there = {}
        rows += [
            {"link": link.name, "group": group.group, **_of_group(place, there)}
            for place in group.places
        ]
    return rows


def _of_group(place: TranslatedCommit, current: Offsets) -> Row:
    """``committed`` is what the group has at the target, ``slack`` by how much it would read twice
    there; the state says whether that is what it should be."""
    there = current.get((place.topic, place.partition))
    committed = there if isinstance(there, Committed) else None
    row = _place(place)
    row["committed"] = None if committed is None else committed.offset
    row["slack"] = None
    if place.target >= 0 and committed is not None:
        row["slack"] = max(0, place.target - committed.offset)
    if place.standing == EXACT:
        state = state_of(place, committed, None)
        row["state"] = {"write": "due", "same": "equal", "kept": "further"}[state]
    return row


def _place(place: TranslatedCommit) -> Row:
    return {
        "topic": place.source_topic,
        "partition": place.partition,
        "offset": place.source if place.source >= 0 else None,
        "target_topic": place.topic,
        "target_offset": place.target if place.target >= 0 else None,
        "state": f"{AHEAD}" if place.standing == AHEAD else place.standing,
    }
