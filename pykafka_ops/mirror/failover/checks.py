"""Whether work may move to the target of a link, and what is done then. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from pykafka_ops.client.group_offsets import Offsets
from pykafka_ops.mirror.control.state import PROMOTED
from pykafka_ops.mirror.failover.facts import LinkFacts
from pykafka_ops.mirror.groups.sync import GroupOutcome
from pykafka_ops.mirror.groups.translation import EXACT, TranslatedCommit
from pykafka_ops.mirror.groups.writing import commits_of
from pykafka_ops.mirror.settings.model import IDENTITY

NAMED: Final = 5
"""Items that a line names; the others are counted."""
LOST: Final = "not known: the source is lost"


class MoveCheck(NamedTuple):
    """A check: ``ok`` None where it cannot be known. ``what`` says what was found."""

    check: str
    ok: bool | None
    what: str


class MoveStep(NamedTuple):
    """Something that is done: "pause", "commit" or "promote", to what, and how."""

    kind: str
    what: str
    how: str


def checks_of(facts: LinkFacts, still_seconds: float) -> list[MoveCheck]:
    """Every check, in the order in which a person would put right what fails."""
    if facts.source_lost:
        names = ("topics", "writers", "transactions", "lag", "readers", "groups")
        return [MoveCheck(name, None, LOST) for name in names]
    return [
        _topics(facts),
        _writers(facts, still_seconds),
        _transactions(facts),
        _lag(facts),
        _readers(facts),
        _groups(facts),
    ]


def _topics(facts: LinkFacts) -> MoveCheck:
    if facts.incomplete:
        lines = [f"{topic}: {why}" for topic, why in facts.incomplete.items()]
        return MoveCheck("topics", False, named(lines, "; "))
    topics, many = len(facts.topics), len(facts.partitions)
    if not topics:
        return MoveCheck("topics", False, "the link mirrors no topic")
    return MoveCheck("topics", True, f"{topics} topics, {many} partitions, all at the target")


def _writers(facts: LinkFacts, still_seconds: float) -> MoveCheck:
    moving = sorted({copy.source[0] for copy in facts.partitions if copy.moved})
    if moving:
        return MoveCheck("writers", False, f"records still arrive in {named(moving)}")
    return MoveCheck("writers", True, f"no end moved within {still_seconds:g} s")


def _transactions(facts: LinkFacts) -> MoveCheck:
    open_in = sorted({copy.source[0] for copy in facts.partitions if copy.stable < copy.end})
    if open_in and facts.link.read_committed:
        return MoveCheck("transactions", False, f"a transaction is open in {named(open_in)}")
    return MoveCheck("transactions", True, "none is open")


def _lag(facts: LinkFacts) -> MoveCheck:
    lags = {
        copy.source: copy.lag(read_committed=facts.link.read_committed)
        for copy in facts.partitions
    }  # fmt: skip
    behind = [f"{topic}-{n} ({lag})" for (topic, n), lag in lags.items() if lag]
    if behind:
        total = sum(lags.values())
        return MoveCheck("lag", False, f"{total} offsets are not copied: {named(behind)}")
    return MoveCheck("lag", True, "everything is copied")


def _readers(facts: LinkFacts) -> MoveCheck:
    if facts.readers:
        return MoveCheck(
            "readers", False, f"groups with members at the source: {named(facts.readers)}"
        )
    return MoveCheck("readers", True, "no group has members at the source")


def _groups(facts: LinkFacts) -> MoveCheck:
    troubles = [*facts.groups.troubles, *(f"{g}: {why}" for g, why in facts.unseen.items())]
    troubles += [
        f"{group.group}: {why}"
        for group in facts.groups.groups.values()
        if group.group not in facts.unseen and (why := _why_not(facts, group))
    ]
    if troubles:
        return MoveCheck("groups", False, named(troubles, "; "))
    count = sum(bool(group.places) for group in facts.groups.groups.values())
    return MoveCheck("groups", True, f"{count} groups, every offset translated exactly")


def _why_not(facts: LinkFacts, group: GroupOutcome) -> str:
    """Why a group would not read on where it stopped; "" where it does."""
    if group.state == "failed":
        return group.trouble
    vague = [place for place in group.places if place.standing != EXACT]
    if vague:
        first = vague[0]
        return f"{first.source_topic}-{first.partition} at {first.source} is {first.standing}"
    if not group.places:
        return ""
    found = commits_of(group.places, facts.current.get(group.group, {}), {})
    if group.state == "active" and (found.offsets or found.kept):
        return "has members at the target already"
    if found.kept:
        return f"{found.kept} of its offsets are further on at the target"
    return ""


def steps_of(facts: LinkFacts) -> list[MoveStep]:
    """What is done when work moves, in this order."""
    link = facts.link
    steps = []
    if not facts.own.is_paused():
        steps.append(MoveStep("pause", link.name, f"nothing more is copied to {link.target}"))
    for group in facts.groups.groups.values():
        if group.state == "synced":
            steps += commit_steps(group.group, group.places, facts.current.get(group.group, {}))
    if link.naming == IDENTITY:
        for topic in facts.topics:
            origin = facts.own.topics.get(topic)
            if origin is None or origin.state != PROMOTED:
                steps.append(MoveStep("promote", topic, f"becomes {link.target}'s own topic"))
    return steps


def commit_steps(
    group: str, places: Sequence[TranslatedCommit], current: Offsets
) -> list[MoveStep]:
    """The offsets that are committed for a group."""
    found = commits_of(places, current, {})
    steps = []
    for (topic, n), value in found.offsets.items():
        there = current.get((topic, n))
        before = getattr(there, "offset", None)
        how = f"{'none' if before is None else before} -> {value.offset}"
        steps.append(MoveStep("commit", f"{group} {topic}-{n}", how))
    return steps


def failed(checks: Iterable[MoveCheck]) -> list[MoveCheck]:
    """Those that found a problem; what cannot be known is none of them."""
    return [check for check in checks if check.ok is False]


def unequal(
    groups: Mapping[str, Sequence[TranslatedCommit]], found: Mapping[str, Offsets]
) -> list[str]:
    """Partitions where a group's offset at the target is not the translated one."""
    out = []
    for group, places in groups.items():
        for place in places:
            there = found.get(group, {}).get((place.topic, place.partition))
            if getattr(there, "offset", None) != place.target:
                out.append(f"{group} {place.topic}-{place.partition}")
    return out


def named(items: Sequence[str], between: str = ", ") -> str:
    """Some items, and how many more there are."""
    text = between.join(items[:NAMED])
    more = len(items) - NAMED
    return f"{text} and {more} more" if more > 0 else text
