"""The keys that tokens of OAuth 2.0 are signed with, read from where the provider shows them.

Counterpart of ``RefreshingHttpsJwks``: read at the start, then again and again, and when a token
names a key that is not there, at most once a minute for each such name.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pykafka_ops.broker import jobs
from pykafka_ops.errors import ConnectError

log = logging.getLogger("kafka.security.oauthbearer.RefreshingHttpsJwks")

MOST_MISSING = 16
MISSING_MS = 60_000
LONGEST_ID = 1000

Jwk = Mapping[str, Any]


class KeyTimes(NamedTuple):
    """Times in ms: between two reads, and after a read that failed, first and at most."""

    refresh: int
    backoff: int
    backoff_max: int


def keys_of(url: str, data: bytes) -> list[Jwk]:
    """The keys of a JWK set that sign. Raises ConnectError."""
    try:
        found = json.loads(data)
        keys = [key for key in found["keys"] if isinstance(key, dict)]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ConnectError(f"{url}: no JSON web key set") from None
    return [key for key in keys if key.get("use", "sig") == "sig"]


class SigningKeys:
    """The keys at ``url``, which ``read(url)`` gets or raises ConnectError; ``timer()`` is
    monotonic, in ms."""

    def __init__(
        self, url: str, times: KeyTimes, timer: Callable[[], float], read: Callable[[str], bytes]
    ) -> None:
        self._url = url
        self._times = times
        self._timer = timer
        self._read = read
        self._keys: list[Jwk] = []
        self._missing: OrderedDict[str, float] = OrderedDict()
        self._wanted = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Read them, and go on doing so. Raises ConnectError: without them nobody can log in."""
        await self._load()
        self._task = jobs.start("signing keys", self._follow())

    async def _load(self) -> None:
        data = await asyncio.to_thread(self._read, self._url)
        self._keys = keys_of(self._url, data)

    async def _follow(self) -> None:
        wait = self._times.refresh
        while True:
            try:
                async with asyncio.timeout(wait / 1000):
                    await self._wanted.wait()
            except TimeoutError:
                pass
            self._wanted.clear()
            try:
                await self._load()
            except ConnectError as error:
                log.warning("the signing keys stay as they are: %s", error)
                failed = wait < self._times.refresh
                wait = min(2 * wait if failed else self._times.backoff, self._times.backoff_max)
            else:
                wait = self._times.refresh

    def find(self, identity: str | None) -> list[Jwk]:
        """The keys with that id, all of them without one. Has them read again where there is
        none."""
        if identity is None:
            return self._keys
        found = [key for key in self._keys if key.get("kid") == identity]
        if not found and len(identity) <= LONGEST_ID:
            self._miss(identity)
        return found

    def _miss(self, identity: str) -> None:
        now = self._timer()
        last = self._missing.get(identity)
        if last is not None and now - last < MISSING_MS:
            return
        self._missing[identity] = now
        self._missing.move_to_end(identity)
        if len(self._missing) > MOST_MISSING:
            self._missing.popitem(last=False)
        self._wanted.set()

    async def close(self) -> None:
        """Read them no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
