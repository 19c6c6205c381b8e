"""Requests about SCRAM credentials in short."""

from __future__ import annotations

from pykafka_ops.wire.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
)
from pykafka_ops.wire.messages.describe_user_scram_credentials import (
    DescribeUserScramCredentialsRequest,
    UserName,
)
from tests.support.memory.config_desk import ConfigDesk, Outcome


def new(
    user: str, mechanism: int = 1, iterations: int = 4096, password: bytes = b"p" * 32
) -> ScramCredentialUpsertion:
    """A credential to store; mechanism 1 is SCRAM-SHA-256."""
    return ScramCredentialUpsertion(
        name=user,
        mechanism=mechanism,
        iterations=iterations,
        salt=b"salt",
        salted_password=password,
    )


def gone(user: str, mechanism: int = 1) -> ScramCredentialDeletion:
    """A credential to delete."""
    return ScramCredentialDeletion(name=user, mechanism=mechanism)


def alter(
    desk: ConfigDesk, *changes: ScramCredentialUpsertion | ScramCredentialDeletion
) -> dict[str, Outcome]:
    """The outcome of each user."""
    request = AlterUserScramCredentialsRequest(
        deletions=[c for c in changes if isinstance(c, ScramCredentialDeletion)],
        upsertions=[c for c in changes if isinstance(c, ScramCredentialUpsertion)],
    )
    (answer,) = desk.serve((request, 0))
    return {each.user: (each.error_code, each.error_message) for each in answer.results}


def describe(desk: ConfigDesk, *users: str) -> list[tuple[str, int, str | None, dict[int, int]]]:
    """Of each user error code and text, and iterations by mechanism."""
    request = DescribeUserScramCredentialsRequest(
        users=[UserName(name=user) for user in users] if users else None
    )
    (answer,) = desk.serve((request, 0))
    assert answer.error_code == 0
    return [
        (
            r.user,
            r.error_code,
            r.error_message,
            {i.mechanism: i.iterations for i in r.credential_infos},
        )
        for r in answer.results
    ]
