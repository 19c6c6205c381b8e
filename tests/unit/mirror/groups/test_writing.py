"""What is committed at the target, and what is left there."""

from __future__ import annotations

import pytest

from pykafka_ops.client.group_offsets import Committed, Offsets
from pykafka_ops.errors import KafkaError
from pykafka_ops.mirror.groups.translation import EXACT, UNKNOWN, TranslatedCommit
from pykafka_ops.mirror.groups.writing import Written, commits_of, remember, state_of

KEY = ("a.t", 0)


def _place(source: int, target: int, metadata: str = "") -> TranslatedCommit:
    return TranslatedCommit("t", "a.t", 0, source, target, EXACT, metadata)


@pytest.mark.parametrize(
    ("current", "before", "expected"),
    [
        (None, None, "write"),
        (40, None, "write"),
        (50, None, "same"),
        (60, None, "kept"),
        (60, Written(90, 60), "write"),  # rewound at the source since
        (60, Written(90, 55), "kept"),  # read on at the target since
        (60, Written(7, 60), "kept"),
    ],
)
def test_writes_forward_only_unless_the_source_was_rewound(
    current: int | None, before: Written | None, expected: str
) -> None:
    there = None if current is None else Committed(current, -1, "")
    assert state_of(_place(80, 50), there, before) == expected


def test_a_new_note_is_written() -> None:
    assert state_of(_place(80, 50, "new"), Committed(50, -1, ""), None) == "write"


def test_commits_without_the_sources_leader_epoch() -> None:
    found = commits_of([_place(80, 50, "note")], {}, {})
    assert found.offsets == {KEY: Committed(50, -1, "note")}


def test_what_has_no_place_or_cannot_be_read_is_left_alone() -> None:
    nowhere = TranslatedCommit("t", "a.t", 1, 80, -1, UNKNOWN)
    found = commits_of([_place(80, 50), nowhere], {KEY: KafkaError(29)}, {})
    assert (found.offsets, found.same, found.kept) == ({}, 0, 0)


def test_counts_what_needs_nothing() -> None:
    current: Offsets = {KEY: Committed(50, -1, ""), ("a.t", 1): Committed(9, -1, "")}
    places = [_place(80, 50), _place(80, 5)._replace(partition=1)]
    found = commits_of(places, current, {})
    assert (found.offsets, found.same, found.kept) == ({}, 1, 1)


def test_remembers_what_the_target_has_of_the_source() -> None:
    before: dict[tuple[str, int], Written] = {}
    remember(before, [_place(80, 50)], {KEY: Committed(50, -1, "")})
    assert before == {KEY: Written(80, 50)}
    remember(before, [_place(70, 45)], {KEY: Committed(50, -1, "")})
    assert before == {KEY: Written(80, 50)}
