"""AlterUserScramCredentials (51), v0: set and delete credentials of users (KIP-554).

Only the controller serves it.
"""

from __future__ import annotations

from collections.abc import Mapping

from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.broker.services.scram_credentials import ScramAdmin
from pykafka_ops.broker.state import scram_requests
from pykafka_ops.broker.state.steps import Steps, begun, each
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    AlterUserScramCredentialsResponse,
    AlterUserScramCredentialsResult,
)


async def handle(
    context: Context, request: AlterUserScramCredentialsRequest
) -> AlterUserScramCredentialsResponse | Steps[AlterUserScramCredentialsResponse]:
    """Change the credentials of each user, all or none of one user's."""
    scram = ScramAdmin(context.services.store, context.services.controller)
    outcomes = await scram.alter(scram_requests.ScramChanges(request))
    return begun(_answer(outcomes))


def _answer(outcomes: Mapping[str, KafkaError | None]) -> Steps[AlterUserScramCredentialsResponse]:
    results = yield from each(lambda outcome: _result(*outcome), outcomes.items())
    return AlterUserScramCredentialsResponse(results=results)


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
    users = {d.name for d in request.deletions} | {u.name for u in request.upsertions}
    return AlterUserScramCredentialsResponse(
        results=[_result(user, error) for user in sorted(users)]
    )
