"""AlterUserScramCredentials (51), v0: set and delete credentials of users (KIP-554).

Only the controller serves it.
"""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.services.scram_credentials import ScramAdmin
from pykafka_ops.broker.state import scram_requests
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    AlterUserScramCredentialsResponse,
    AlterUserScramCredentialsResult,
)


def handle(context: Context, request: AlterUserScramCredentialsRequest) -> Answer:
    """Change the credentials of each user, all or none of one user's."""
    context.services.topics.require_controller()
    return _alter(context.services.scram, scram_requests.ScramChanges(request))


async def _alter(
    credentials: ScramAdmin, changes: scram_requests.ScramChanges
) -> AlterUserScramCredentialsResponse:
    outcomes = await credentials.alter(changes)
    return AlterUserScramCredentialsResponse(
        results=[_result(user, error) for user, error in outcomes.items()]
    )


def _result(user: str, error: KafkaError | None) -> AlterUserScramCredentialsResult:
    if error is None:
        return AlterUserScramCredentialsResult(user=user)
    return AlterUserScramCredentialsResult(
        user=user, error_code=error.code, error_message=error.message or None
    )


def failed(
    request: AlterUserScramCredentialsRequest | None, version: int, error: KafkaError
) -> AlterUserScramCredentialsResponse:
    """Every user of the request with the same error."""
    users: set[str] = set()
    if request is not None:
        users.update(deletion.name for deletion in request.deletions)
        users.update(upsertion.name for upsertion in request.upsertions)
    return AlterUserScramCredentialsResponse(
        results=[_result(user, error) for user in sorted(users)]
    )
