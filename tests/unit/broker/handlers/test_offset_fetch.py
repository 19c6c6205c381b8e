"""OffsetFetch: offsets of one group, and from version 8 on of several."""

from __future__ import annotations

import pytest

from pykafka_ops.wire.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
)
from tests.support.memory.group_requests import code_of, commit_request, fetch_request, offsets
from tests.support.memory.handler_site import Site


@pytest.mark.parametrize("version", range(1, 10))
def test_what_was_committed_is_told(site: Site, version: int) -> None:
    assert code_of(site.ask(commit_request(11), 8)) == 0
    assert offsets(site.ask(fetch_request(version), version)) == [(11, "m", 0), (-1, "", 0)]


@pytest.mark.parametrize("version", range(2, 10))
def test_without_topics_every_offset_of_the_group_is_told(site: Site, version: int) -> None:
    site.ask(commit_request(11), 8)
    if version >= 8:
        groups = [OffsetFetchRequestGroup(group_id="g", topics=None)]
        request = OffsetFetchRequest(groups=groups)
    else:
        request = OffsetFetchRequest(group_id="g", topics=None)
    assert offsets(site.ask(request, version)) == [(11, "m", 0)]


def test_each_group_of_a_request_has_its_own_answer(site: Site) -> None:
    site.ask(commit_request(11), 8)
    groups = [
        OffsetFetchRequestGroup(
            group_id=name, topics=[OffsetFetchRequestTopic(name="t", partition_indexes=[0])]
        )
        for name in ("g", "other")
    ]
    answer = site.ask(OffsetFetchRequest(groups=groups), 8)
    found = {g.group_id: g.topics[0].partitions[0].committed_offset for g in answer.groups}
    assert found == {"g": 11, "other": -1}
