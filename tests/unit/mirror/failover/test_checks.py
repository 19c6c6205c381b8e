"""What is checked before work moves, and what is done then."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pykafka_ops.client.group_offsets import Committed
from pykafka_ops.mirror.control.state import (
    PROMOTED,
    ControlState,
    MirrorPause,
    TopicOrigin,
)
from pykafka_ops.mirror.failover.checks import checks_of, failed, named, steps_of, unequal
from pykafka_ops.mirror.failover.facts import CopyFacts, LinkFacts
from pykafka_ops.mirror.groups.sync import GroupOutcome, GroupsOutcome
from pykafka_ops.mirror.groups.translation import AHEAD, EXACT, OLD, TranslatedCommit
from pykafka_ops.mirror.settings.model import LinkSettings

PLACE = TranslatedCommit("t", "t", 0, 90, 70, EXACT)


def _copy(**changes: object) -> CopyFacts:
    base = CopyFacts(("t", 0), ("t", 0), 0, 100, 100, 100, moved=False)
    return base._replace(**changes)  # type: ignore[arg-type]


def _facts(*copies: CopyFacts, group: GroupOutcome | None = None) -> LinkFacts:
    link = LinkSettings("a", "b", naming="identity")
    groups = GroupsOutcome({"g": group} if group else {})
    return LinkFacts(link, ControlState(), list(copies or (_copy(),)), groups=groups)


def _failed(facts: LinkFacts) -> list[tuple[str, str]]:
    return [(check.check, check.what) for check in failed(checks_of(facts, 5))]


def test_everything_passes_where_all_is_copied_and_quiet() -> None:
    facts = _facts(group=GroupOutcome("g", [PLACE]))
    checks = checks_of(facts, 5)
    assert [c.check for c in checks] == [
        "topics", "writers", "transactions", "lag", "readers", "groups"
    ]  # fmt: skip
    assert all(check.ok for check in checks)


@pytest.mark.parametrize(
    ("copy", "check", "text"),
    [
        (_copy(moved=True), "writers", "records still arrive in t"),
        (_copy(stable=90, position=90), "transactions", "a transaction is open in t"),
        (_copy(position=93), "lag", "7 offsets are not copied: t-0 (7)"),
        (_copy(position=None, start=60), "lag", "40 offsets are not copied: t-0 (40)"),
    ],
)
def test_says_what_is_not_ready(copy: CopyFacts, check: str, text: str) -> None:
    assert _failed(_facts(copy)) == [(check, text)]


def test_an_empty_partition_that_was_never_copied_is_no_lag() -> None:
    assert _failed(_facts(_copy(position=None, start=100))) == []


def test_a_link_without_topics_does_not_move() -> None:
    facts = _facts()
    facts.partitions = []
    assert _failed(facts) == [("topics", "the link mirrors no topic")]


def test_topics_that_cannot_move_are_named() -> None:
    facts = _facts()
    facts.incomplete["x"] = "x is not at the target"
    assert _failed(facts) == [("topics", "x: x is not at the target")]


def test_groups_that_still_read_at_the_source_are_named() -> None:
    facts = _facts()
    facts.readers = [f"g{n}" for n in range(7)]
    text = "groups with members at the source: g0, g1, g2, g3, g4 and 2 more"
    assert _failed(facts) == [("readers", text)]


@pytest.mark.parametrize(
    ("group", "why"),
    [
        (GroupOutcome("g", [PLACE._replace(standing=AHEAD)]), "t-0 at 90 is ahead"),
        (GroupOutcome("g", [PLACE._replace(standing=OLD, target=-1)]), "t-0 at 90 is old"),
        (GroupOutcome("g", [PLACE], "active"), "has members at the target already"),
        (GroupOutcome("g", [], "failed", "no right"), "no right"),
    ],
)
def test_groups_that_would_not_read_on_are_named(group: GroupOutcome, why: str) -> None:
    assert _failed(_facts(group=group)) == [("groups", f"g: {why}")]


def test_a_group_further_on_at_the_target_is_named() -> None:
    facts = _facts(group=GroupOutcome("g", [PLACE]))
    facts.current["g"] = {("t", 0): Committed(71, -1, "")}
    assert _failed(facts) == [("groups", "g: 1 of its offsets are further on at the target")]


def test_a_group_that_could_not_be_seen_is_named_once() -> None:
    facts = _facts(group=GroupOutcome("g", [PLACE._replace(standing=OLD)]))
    facts.unseen["g"] = "not coordinator"
    assert _failed(facts) == [("groups", "g: not coordinator")]


def test_nothing_is_known_of_a_lost_source() -> None:
    facts = _facts()
    facts.source_lost = True
    assert {check.ok for check in checks_of(facts, 5)} == {None}
    assert failed(checks_of(facts, 5)) == []


def test_steps_pause_commit_and_promote() -> None:
    facts = _facts(group=GroupOutcome("g", [PLACE]))
    facts.current["g"] = {("t", 0): Committed(12, -1, "")}
    assert [tuple(step) for step in steps_of(facts)] == [
        ("pause", "a->b", "nothing more is copied to b"),
        ("commit", "g t-0", "12 -> 70"),
        ("promote", "t", "becomes b's own topic"),
    ]


def test_what_is_done_already_is_no_step() -> None:
    facts = _facts(group=GroupOutcome("g", [PLACE]))
    facts.current["g"] = {("t", 0): Committed(70, -1, "")}
    facts.own.pauses[MirrorPause()] = {}
    facts.own.topics["t"] = TopicOrigin(PROMOTED)
    assert steps_of(facts) == []


def test_finds_offsets_that_are_not_the_translated_ones() -> None:
    def found(offset: int) -> list[str]:
        return unequal({"g": [PLACE]}, {"g": {("t", 0): Committed(offset, -1, "")}})

    check: Callable[[int], list[str]] = found
    assert check(70) == []
    assert check(69) == ["g t-0"]
    assert unequal({"g": [PLACE]}, {}) == ["g t-0"]


def test_names_a_few_and_counts_the_others() -> None:
    assert named(["a", "b"]) == "a, b"
    assert named([str(n) for n in range(6)], "; ") == "0; 1; 2; 3; 4 and 1 more"
