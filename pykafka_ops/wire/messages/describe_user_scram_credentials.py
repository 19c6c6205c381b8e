"""DescribeUserScramCredentials (50): KIP-554. Mechanism 1 is SCRAM-SHA-256, 2 SCRAM-SHA-512."""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import INT8, INT16, INT32, STRING


@struct
class UserName:
    """One user."""

    name: str = wire(STRING)


@message(ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS)
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


@message(ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS)
class DescribeUserScramCredentialsResponse:
    """The credentials of each user."""

    throttle_time_ms: int = wire(INT32)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+")
    results: list[DescribeUserScramCredentialsResult] = wire([DescribeUserScramCredentialsResult])
