"""ListGroups: the groups of this broker, by state and type."""

from __future__ import annotations

import pytest

from pykafka_ops.wire.messages.list_groups import ListGroupsRequest
from tests.support.memory.group_requests import code_of, commit_request, joined
from tests.support.memory.handler_site import Site


def listed(site: Site, version: int, **filters: list[str]) -> list[tuple[str, str]]:
    answer = site.ask(ListGroupsRequest(**filters), version)
    assert answer.error_code == 0
    return [(group.group_id, group.group_state) for group in answer.groups]


@pytest.fixture
def two(site: Site) -> Site:
    """Group g has a member that waits for its assignment, group e only offsets."""
    joined(site, 3)
    commit = commit_request(5)
    commit.group_id = "e"
    assert code_of(site.ask(commit, 8)) == 0
    return site


@pytest.mark.parametrize("version", range(6))
def test_every_group_is_listed_with_its_state_since_version_4(two: Site, version: int) -> None:
    states = ["CompletingRebalance", "Empty"] if version >= 4 else ["", ""]
    assert sorted(listed(two, version)) == list(zip(["e", "g"], states[::-1], strict=True))


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({"states_filter": ["empty"]}, ["e"]),
        ({"states_filter": ["Stable", "CompletingRebalance"]}, ["g"]),
        ({"states_filter": ["Nonsense"]}, []),
        ({"types_filter": ["Classic"]}, ["e", "g"]),
        ({"types_filter": ["consumer"]}, []),
    ],
)
def test_states_and_types_are_filters(
    two: Site, filters: dict[str, list[str]], found: list[str]
) -> None:
    assert sorted(name for name, _ in listed(two, 5, **filters)) == found
