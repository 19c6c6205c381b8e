"""AlterUserScramCredentials (51): KIP-554. Mechanism 1 is SCRAM-SHA-256, 2 SCRAM-SHA-512."""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import BYTES, INT8, INT16, INT32, STRING


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


@message(ApiKey.ALTER_USER_SCRAM_CREDENTIALS)
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


@message(ApiKey.ALTER_USER_SCRAM_CREDENTIALS)
class AlterUserScramCredentialsResponse:
    """The outcome for each user."""

    throttle_time_ms: int = wire(INT32)
    results: list[AlterUserScramCredentialsResult] = wire([AlterUserScramCredentialsResult])
