"""DescribeUserScramCredentials (50) and AlterUserScramCredentials (51): KIP-554.

Mechanism 1 is SCRAM-SHA-256, 2 SCRAM-SHA-512.
"""

from __future__ import annotations

from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import BYTES, INT8, INT16, INT32, STRING


@struct
class UserName:
    """One user."""

    name: str = wire(STRING)


@message(api=50, kind="request", versions="0", flexible="0+")
class DescribeUserScramCredentialsRequest:
    """Users to describe; null or empty means all."""

    users: list[UserName] | None = wire([UserName], nullable="0+")


@struct
class CredentialInfo:
    """One credential, without its secret."""

    mechanism: int = wire(INT8)
    iterations: int = wire(INT32)


@struct
class DescribeUserScramCredentialsResult:
    """The credentials of one user."""

    user: str = wire(STRING)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+")
    credential_infos: list[CredentialInfo] = wire([CredentialInfo])


@message(api=50, kind="response", versions="0", flexible="0+")
class DescribeUserScramCredentialsResponse:
    """The credentials of each user."""

    throttle_time_ms: int = wire(INT32)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+")
    results: list[DescribeUserScramCredentialsResult] = wire([DescribeUserScramCredentialsResult])


@struct
class ScramCredentialDeletion:
    """A credential to delete."""

    name: str = wire(STRING)
    mechanism: int = wire(INT8)


@struct
class ScramCredentialUpsertion:
    """A credential to create or replace."""

    name: str = wire(STRING)
    mechanism: int = wire(INT8)
    iterations: int = wire(INT32)
    salt: bytes = wire(BYTES)
    salted_password: bytes = wire(BYTES)


@message(api=51, kind="request", versions="0", flexible="0+")
class AlterUserScramCredentialsRequest:
    """Credentials to change."""

    deletions: list[ScramCredentialDeletion] = wire([ScramCredentialDeletion])
    upsertions: list[ScramCredentialUpsertion] = wire([ScramCredentialUpsertion])


@struct
class AlterUserScramCredentialsResult:
    """The outcome for one user."""

    user: str = wire(STRING)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+")


@message(api=51, kind="response", versions="0", flexible="0+")
class AlterUserScramCredentialsResponse:
    """The outcome for each user."""

    throttle_time_ms: int = wire(INT32)
    results: list[AlterUserScramCredentialsResult] = wire([AlterUserScramCredentialsResult])
