"""Delegation tokens in the tree: created, renewed, expired, read again (KIP-48).

Counterpart of ``DelegationTokenManagerZk``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from contextlib import suppress

from pykafka_ops.broker.metadata.store import (
    Create,
    Delete,
    MetadataStore,
    NodeExistsError,
    NoNodeError,
    Op,
    SetData,
    StoreError,
)
from pykafka_ops.broker.metadata.znodes.delegation_tokens import (
    TOKENS,
    TokenChanges,
    TokenZNode,
)
from pykafka_ops.broker.metadata.znodes.json_data import ZnodeError
from pykafka_ops.broker.state.logins import delegation
from pykafka_ops.broker.state.logins.delegation import (
    DelegationToken,
    DelegationTokens,
    TokenLimits,
)
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode

MOST_BYTES = 600_000
"""Of one token, which may have renewers without number; ZooKeeper takes 1 MiB."""

log = logging.getLogger("kafka.server.DelegationTokenManagerZk")


class TokenAdmin:
    """``clock()`` ms since 1970, ``new_id()`` 22 characters.

    Requests raise KafkaError, UNKNOWN_SERVER_ERROR where the tree cannot be written.
    """

    def __init__(
        self,
        store: MetadataStore,
        tokens: DelegationTokens,
        *,
        limits: TokenLimits,
        clock: Callable[[], int],
        new_id: Callable[[], str],
    ) -> None:
        self.tokens = tokens
        self._store = store
        self._limits = limits
        self._clock = clock
        self._new_id = new_id

    # -- requests ------------------------------------------------------------------------------

    async def create(
        self, owner: str, requester: str, renewers: Collection[str], lifetime: int
    ) -> DelegationToken:
        """A new token."""
        people = owner, requester, renewers
        made = delegation.new_token(self._new_id(), people, lifetime, self._limits, self._clock())
        data = TokenZNode.encode(made)
        if len(data) > MOST_BYTES:
            raise KafkaError(ErrorCode.INVALID_REQUEST)
        await self._write(Create(TokenZNode.path(made.id), data), made.id)
        self.tokens.put(made)
        log.info("created a delegation token %s for %s", made.id, owner)
        return made

    async def renew(self, principal: str, secret: bytes, period: int) -> int:
        """Let a token live on; when it expires now."""
        token = self.tokens.by_hmac(secret)
        now = self._clock()
        return await self._change(delegation.renewed(token, principal, period, self._limits, now))

    async def expire(self, principal: str, secret: bytes, period: int) -> int:
        """Change when a token expires; when that is."""
        now = self._clock()
        token = self.tokens.by_hmac(secret)
        changed = delegation.expired(token, principal, period, now)
        if changed is not None:
            return await self._change(changed)
        await self._remove(token.id)
        log.info("removed delegation token %s as %s asked for", token.id, principal)
        return now

    async def _change(self, token: DelegationToken) -> int:
        await self._write(SetData(TokenZNode.path(token.id), TokenZNode.encode(token)), token.id)
        self.tokens.put(token)
        return token.expires

    async def _remove(self, token_id: str) -> None:
        await self._write(Delete(TokenZNode.path(token_id)), token_id)
        self.tokens.remove(token_id)

    async def _write(self, op: Op, token_id: str) -> None:
        note = Create(TokenChanges.prefix, TokenChanges.encode(token_id), sequence=True)
        try:
            await self._store.multi([op, note])
        except NoNodeError:  # another broker was faster
            self.tokens.remove(token_id)
            raise KafkaError(ErrorCode.DELEGATION_TOKEN_NOT_FOUND) from None
        except (NodeExistsError, StoreError) as error:
            log.warning("delegation token %s cannot be written: %s", token_id, error)
            raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR) from error

    # -- what the tree says --------------------------------------------------------------------

    async def load(self) -> None:
        """Read all tokens. Raises StoreError."""
        ids = await self._store.children(TOKENS)
        nodes = await self._store.get_many([TokenZNode.path(each) for each in ids])
        for token_id, node in zip(ids, nodes, strict=True):
            self._take(token_id, None if node is None else node.data, node is not None)

    async def read_again(self, data: bytes | None) -> None:
        """A notification came with ``data``. Raises StoreError."""
        token_id = TokenChanges.decode(data)
        if not token_id or "/" in token_id:
            raise ZnodeError(f"{token_id!r} is no id of a delegation token")
        node = await self._store.get(TokenZNode.path(token_id))
        self._take(token_id, None if node is None else node.data, node is not None)

    def _take(self, token_id: str, data: bytes | None, is_there: bool) -> None:
        found: DelegationToken | None = None
        if is_there:
            try:
                found = TokenZNode.decode(token_id, data)
            except PkoError as error:
                log.error("ignoring a delegation token: %s", error)
        if found is None or found.id != token_id:
            self.tokens.remove(token_id)
        else:
            self.tokens.put(found)

    async def remove_expired(self) -> None:
        """Remove those that have expired; one that cannot be removed waits for the next time."""
        now = self._clock()
        for token in self.tokens:
            if token.is_over(now):
                with suppress(KafkaError):
                    await self._remove(token.id)
                    log.info("removed delegation token %s, which had expired", token.id)
