"""DescribeUserScramCredentials (50), v0: which credentials users have, never the keys (KIP-554)."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.services.scram_credentials import Iterations
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.describe_user_scram_credentials import (
    CredentialInfo,
    DescribeUserScramCredentialsRequest,
    DescribeUserScramCredentialsResponse,
    DescribeUserScramCredentialsResult,
)


def handle(context: Context, request: DescribeUserScramCredentialsRequest) -> Answer:
    """Of all users who have any, or of those that are named."""
    scram = context.services.scram
    users = [user.name for user in request.users or ()]
    return _answer(scram.describe(users) if users else scram.describe_all())


async def _answer(
    described: Awaitable[Mapping[str, Iterations | KafkaError]],
) -> DescribeUserScramCredentialsResponse:
    results = [_result(user, found) for user, found in (await described).items()]
    return DescribeUserScramCredentialsResponse(results=results)


def _result(user: str, found: Iterations | KafkaError) -> DescribeUserScramCredentialsResult:
    if isinstance(found, KafkaError):
        return DescribeUserScramCredentialsResult(
            user=user, error_code=found.code, error_message=found.message
        )
    infos = [CredentialInfo(mechanism=m, iterations=n) for m, n in found.items()]
    return DescribeUserScramCredentialsResult(user=user, credential_infos=infos)


def failed(
    request: DescribeUserScramCredentialsRequest | None, version: int, error: KafkaError
) -> DescribeUserScramCredentialsResponse:
    """Nothing about any user."""
    return DescribeUserScramCredentialsResponse(
        error_code=error.code, error_message=error.message or ErrorCode.of(error.code).text
    )
