"""DeleteGroups: groups without members go, with their offsets; each has its own result."""

from __future__ import annotations

import pytest

from pykafka_ops.wire.messages.delete_groups import DeleteGroupsRequest
from pykafka_ops.wire.messages.list_groups import ListGroupsRequest
from tests.support.memory.group_requests import (
    code_of,
    commit_request,
    fetch_request,
    joined,
    offsets,
)
from tests.support.memory.handler_site import Site

NON_EMPTY = 68
NO_GROUP = 69


@pytest.mark.parametrize("version", range(3))
def test_each_group_has_its_own_result(site: Site, version: int) -> None:
    site.ask(commit_request(5), 8)
    request = DeleteGroupsRequest(groups_names=["g", "nobody"])
    answer = site.ask(request, version)
    assert {r.group_id: r.error_code for r in answer.results} == {"g": 0, "nobody": NO_GROUP}
    assert offsets(site.ask(fetch_request(8), 8))[0] == (-1, "", 0)


def test_a_group_with_members_stays(site: Site) -> None:
    joined(site, 3)
    answer = site.ask(DeleteGroupsRequest(groups_names=["g"]), 2)
    assert code_of(answer) == NON_EMPTY
    assert [g.group_id for g in site.ask(ListGroupsRequest(), 4).groups] == ["g"]
