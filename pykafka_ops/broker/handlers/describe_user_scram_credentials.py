"""DescribeUserScramCredentials (50), v0: which credentials users have, never the keys (KIP-554)."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.broker.services.scram_credentials import Iterations, ScramAdmin
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.messages.describe_user_scram_credentials import (
    CredentialInfo,
    DescribeUserScramCredentialsRequest,
    DescribeUserScramCredentialsResponse,
    DescribeUserScramCredentialsResult,
)


async def handle(
    context: Context, request: DescribeUserScramCredentialsRequest
) -> DescribeUserScramCredentialsResponse:
    """Of all users who have any, or of those that are named."""
    scram = ScramAdmin(context.services.store, context.services.controller)
    users = [user.name for user in request.users or ()]
    described = await (scram.describe(users) if users else scram.describe_all())
    results = [_result(user, found) for user, found in described.items()]
    return DescribeUserScramCredentialsResponse(results=results)


def _result(user: str, found: Iterations | KafkaError) -> DescribeUserScramCredentialsResult:
    if isinstance(found, KafkaError):
        return DescribeUserScramCredentialsResult(
            user=user, error_code=found.code, error_message=found.message
        )
    infos = [CredentialInfo(mechanism=m, iterations=n) for m, n in found.items()]
    return DescribeUserScramCredentialsResult(user=user, credential_infos=infos)
