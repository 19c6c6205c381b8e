"""SCRAM credentials of users in the tree: changed and described (KIP-554).

Counterpart of the SCRAM half of ``ZkAdminManager``.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pykafka_ops.broker.metadata.store import MetadataStore
from pykafka_ops.broker.metadata.znodes.config import DEFAULT_ENTITY, USERS, desanitize, sanitize
from pykafka_ops.broker.services import config_entities, config_store
from pykafka_ops.broker.services.controller_gate import OnController
from pykafka_ops.broker.state import scram_requests
from pykafka_ops.broker.state.quotas import requests as quota_requests
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

log = logging.getLogger("kafka.server.ConfigAdminManager")

Iterations = dict[int, int]
"""Iterations of a user's credentials, by mechanism."""


@dataclass(slots=True, eq=False)
class ScramAdmin:
    """Raises KafkaError UNKNOWN_SERVER_ERROR where the tree cannot be reached."""

    store: MetadataStore
    controller: OnController

    async def describe_all(self) -> dict[str, Iterations | KafkaError]:
        """The credentials of all users who have any, by name in order."""
        paths = await config_entities.paths(self.store, USERS)
        settings = zip(paths, await config_store.read(self.store, *paths), strict=True)
        found = {
            desanitize(path.partition("/")[2]) or DEFAULT_ENTITY: _iterations(values)
            for path, values in settings
            if scram_requests.has_credentials(values)
        }
        return dict(sorted(found.items()))

    async def describe(self, users: Sequence[str]) -> dict[str, Iterations | KafkaError]:
        """The credentials of these users, or why none can be shown."""
        unfit = scram_requests.unfit_to_describe(users)
        return {
            user: unfit[user] if user in unfit else await self._one(user)
            for user in dict.fromkeys(users)
        }

    async def _one(self, user: str) -> Iterations | KafkaError:
        try:
            (values,) = await config_store.read(self.store, f"{USERS}/{sanitize(user)}")
        except KafkaError:
            return scram_requests.generic(ErrorCode.UNKNOWN_SERVER_ERROR)
        if scram_requests.has_credentials(values):
            return _iterations(values)
        text = f"Attempt to describe a user credential that does not exist: {user}"
        return KafkaError(ErrorCode.RESOURCE_NOT_FOUND, text)

    async def alter(self, changes: scram_requests.ScramChanges) -> dict[str, KafkaError | None]:
        """Change the credentials of each user, all or none of one user's; None where it was
        done. Raises KafkaError NOT_CONTROLLER, too."""
        self.controller.require_controller()
        paths = {user: f"{USERS}/{sanitize(user)}" for user in changes.users}
        values = await config_store.read(self.store, *paths.values())
        present = dict(zip(paths, values, strict=True))
        stored: dict[str, KafkaError | None] = {}
        for user, credentials in changes.apply(present).items():
            stored[user] = await self._set(paths[user], credentials)
        return changes.refused | stored

    async def _set(self, path: str, credentials: Mapping[str, str | None]) -> KafkaError | None:
        def edit(present: dict[str, str]) -> dict[str, str]:
            merged = {**present, **credentials}
            values = {name: text for name, text in merged.items() if text is not None}
            quota_requests.check(path, values)
            return values

        try:
            await config_store.change(self.store, path, edit)
        except KafkaError as error:
            return error if error.message else scram_requests.generic(ErrorCode.of(error.code))
        except Exception as error:
            log.error("altering SCRAM credentials of %s", path, exc_info=error)
            return scram_requests.generic(ErrorCode.UNKNOWN_SERVER_ERROR)
        return None


def _iterations(settings: Mapping[str, str]) -> Iterations | KafkaError:
    try:
        return scram_requests.iterations(settings)
    except KafkaError as error:
        return error
