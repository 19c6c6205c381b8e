"""DescribeUserScramCredentials (50), v0: which credentials users have, never the keys (KIP-554)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pykafka_ops.broker.metadata.znodes.config import DEFAULT_ENTITY, USERS, desanitize, sanitize
from pykafka_ops.broker.services import config_entities, config_store
from pykafka_ops.broker.state import scram_requests
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.describe_user_scram_credentials import (
    CredentialInfo,
    DescribeUserScramCredentialsResponse,
    DescribeUserScramCredentialsResult,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pykafka_ops.broker.handlers.api import Answer, Context
    from pykafka_ops.broker.metadata.store import MetadataStore
    from pykafka_ops.wire.messages.describe_user_scram_credentials import (
        DescribeUserScramCredentialsRequest,
    )

Result = DescribeUserScramCredentialsResult


def handle(context: Context, request: DescribeUserScramCredentialsRequest) -> Answer:
    """Of all users who have any, or of those that are named."""
    store = context.services.store
    return _some(store, [user.name for user in request.users]) if request.users else _all(store)


async def _all(store: MetadataStore) -> DescribeUserScramCredentialsResponse:
    paths = await config_entities.paths(store, USERS)
    settings = dict(zip(paths, await config_store.read(store, *paths), strict=True))
    results = [
        _result(desanitize(path.partition("/")[2]) or DEFAULT_ENTITY, values)
        for path, values in settings.items()
        if scram_requests.has_credentials(values)
    ]
    results.sort(key=lambda result: result.user)
    return DescribeUserScramCredentialsResponse(results=results)


async def _some(store: MetadataStore, users: list[str]) -> DescribeUserScramCredentialsResponse:
    unfit = scram_requests.unfit_to_describe(users)
    results = []
    for user in dict.fromkeys(users):
        error = unfit.get(user)
        results.append(await _one(store, user) if error is None else _refused(user, error))
    return DescribeUserScramCredentialsResponse(results=results)


async def _one(store: MetadataStore, user: str) -> Result:
    try:
        (values,) = await config_store.read(store, f"{USERS}/{sanitize(user)}")
    except KafkaError:
        return _refused(user, scram_requests.generic(ErrorCode.UNKNOWN_SERVER_ERROR))
    if scram_requests.has_credentials(values):
        return _result(user, values)
    text = f"Attempt to describe a user credential that does not exist: {user}"
    return _refused(user, KafkaError(ErrorCode.RESOURCE_NOT_FOUND, text))


def _result(user: str, settings: Mapping[str, str]) -> Result:
    try:
        found = scram_requests.iterations(settings)
    except KafkaError as error:
        return _refused(user, error)
    infos = [CredentialInfo(mechanism=m, iterations=n) for m, n in found.items()]
    return Result(user=user, credential_infos=infos)


def _refused(user: str, error: KafkaError) -> Result:
    return Result(user=user, error_code=error.code, error_message=error.message)


def failed(
    request: DescribeUserScramCredentialsRequest | None, version: int, error: KafkaError
) -> DescribeUserScramCredentialsResponse:
    """Nothing about any user."""
    return DescribeUserScramCredentialsResponse(
        error_code=error.code, error_message=error.message or ErrorCode.of(error.code).text
    )
