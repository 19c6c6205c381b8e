"""AlterUserScramCredentials (51), v0: set and delete credentials of users (KIP-554).

Only the controller serves it.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from pykafka_ops.broker.metadata.znodes.config import USERS, sanitize
from pykafka_ops.broker.services import config_store
from pykafka_ops.broker.state import scram_requests
from pykafka_ops.broker.state.quotas import requests as quota_requests
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsResponse,
    AlterUserScramCredentialsResult,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pykafka_ops.broker.handlers.api import Answer, Context
    from pykafka_ops.broker.metadata.store import MetadataStore
    from pykafka_ops.wire.messages.alter_user_scram_credentials import (
        AlterUserScramCredentialsRequest,
    )

log = logging.getLogger("kafka.server.ConfigAdminManager")


def handle(context: Context, request: AlterUserScramCredentialsRequest) -> Answer:
    """Change the credentials of each user, all or none of one user's."""
    context.services.topics.require_controller()
    return _alter(context.services.store, scram_requests.ScramChanges(request))


async def _alter(
    store: MetadataStore, changes: scram_requests.ScramChanges
) -> AlterUserScramCredentialsResponse:
    paths = {user: f"{USERS}/{sanitize(user)}" for user in changes.users}
    present = dict(zip(paths, await config_store.read(store, *paths.values()), strict=True))
    stored: dict[str, KafkaError | None] = {}
    for user, credentials in changes.apply(present).items():
        stored[user] = await _store(store, paths[user], credentials)
    return AlterUserScramCredentialsResponse(
        results=[_result(user, error) for user, error in (changes.refused | stored).items()]
    )


async def _store(
    store: MetadataStore, path: str, credentials: Mapping[str, str | None]
) -> KafkaError | None:
    def edit(present: dict[str, str]) -> dict[str, str]:
        merged = {**present, **credentials}
        values = {name: text for name, text in merged.items() if text is not None}
        quota_requests.check(path, values)
        return values

    try:
        await config_store.change(store, path, edit)
    except KafkaError as error:
        return error if error.message else scram_requests.generic(ErrorCode.of(error.code))
    except Exception as error:
        log.error("altering SCRAM credentials of %s", path, exc_info=error)
        return scram_requests.generic(ErrorCode.UNKNOWN_SERVER_ERROR)
    return None


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
