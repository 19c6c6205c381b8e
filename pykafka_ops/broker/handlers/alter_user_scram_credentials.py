"""AlterUserScramCredentials (51), v0: set and delete credentials of users (KIP-554).

Only the controller serves it.
"""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.broker.state import scram_requests
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    AlterUserScramCredentialsResponse,
    AlterUserScramCredentialsResult,
)


async def handle(
    context: Context, request: AlterUserScramCredentialsRequest
) -> AlterUserScramCredentialsResponse:
    """Change the credentials of each user, all or none of one user's."""
    context.services.topics.require_controller()
    outcomes = await context.services.scram.alter(scram_requests.ScramChanges(request))
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
    request: AlterUserScramCredentialsRequest, version: int, error: KafkaError
) -> AlterUserScramCredentialsResponse:
    """Every user of the request with the same error."""
    users = {each.name for each in request.deletions} | {each.name for each in request.upsertions}
    return AlterUserScramCredentialsResponse(
        results=[_result(user, error) for user in sorted(users)]
    )
