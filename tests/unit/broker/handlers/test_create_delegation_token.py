"""CreateDelegationToken: as Apache Kafka 3.9.1 on a plaintext listener."""

from __future__ import annotations

import pytest

from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.create_delegation_token import (
    CreateDelegationTokenRequest,
    CreateDelegationTokenResponse,
)
from tests.support.memory.handler_site import Site

ANONYMOUS = ("User", "ANONYMOUS")


def ask(version: int, *owner: str | None) -> CreateDelegationTokenResponse:
    """The answer to a request for a token of ``owner``, a type and a name."""
    kind, name = owner or (None, None)
    request = CreateDelegationTokenRequest(
        owner_principal_type=kind, owner_principal_name=name, max_lifetime_ms=-1
    )
    answer = Site().ask(request, version)
    assert isinstance(answer, CreateDelegationTokenResponse)
    return answer


@pytest.mark.parametrize("version", range(4))
def test_who_did_not_log_in_gets_no_token(version: int) -> None:
    answer = ask(version)
    assert answer.error_code == ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED
    assert (answer.principal_type, answer.principal_name) == ANONYMOUS
    requester = (answer.token_requester_principal_type, answer.token_requester_principal_name)
    assert requester == (ANONYMOUS if version >= 3 else ("", ""))
    times = (answer.issue_timestamp_ms, answer.expiry_timestamp_ms, answer.max_timestamp_ms)
    assert times == (-1, -1, -1)
    assert (answer.token_id, answer.hmac) == ("", b"")


@pytest.mark.parametrize(
    ("owner", "said"),
    [
        (("User", "me"), ("User", "me")),
        (("Robot", "me"), ("Robot", "me")),
        (("", "me"), ("", "me")),
        ((None, "me"), ("", "me")),
        (("Robot", ""), ANONYMOUS),
        (("Robot", None), ANONYMOUS),
    ],
)
def test_the_answer_names_whose_the_token_was_to_be(
    owner: tuple[str | None, str | None], said: tuple[str, str]
) -> None:
    answer = ask(3, *owner)
    assert (answer.principal_type, answer.principal_name) == said
    requester = (answer.token_requester_principal_type, answer.token_requester_principal_name)
    assert requester == ANONYMOUS
