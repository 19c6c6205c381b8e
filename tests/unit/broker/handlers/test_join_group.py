"""JoinGroup: members wait for each other, and need a name and an id."""

from __future__ import annotations

from tests.support.memory.group_requests import join_request, joined
from tests.support.memory.handler_site import Later, Site

INVALID_GROUP = 24
MEMBER_ID_REQUIRED = 79


def test_a_member_that_waits_is_answered_when_the_others_have_joined(site: Site) -> None:
    first = joined(site, 3)
    waiting = site.ask(join_request(), 3)
    assert isinstance(waiting, Later)
    assert not waiting.done
    again = site.ask(join_request(first.member_id), 3)
    assert waiting.answer.generation_id == 2
    assert again.generation_id == 2 if not isinstance(again, Later) else again.done


def test_the_id_is_given_first(site: Site) -> None:
    answer = site.ask(join_request(), 4)
    assert (answer.error_code, answer.generation_id) == (MEMBER_ID_REQUIRED, -1)
    assert answer.member_id.startswith("test-")


def test_a_group_needs_a_name_to_have_members(site: Site) -> None:
    request = join_request()
    request.group_id = ""
    assert site.ask(request, 3).error_code == INVALID_GROUP
