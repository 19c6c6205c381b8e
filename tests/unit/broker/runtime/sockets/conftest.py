"""A loop that complains, and a peer on it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from tests.support.wire.peer import Peer, quiet_loop


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    with quiet_loop() as made:
        yield made


@pytest.fixture
def peer(loop: asyncio.AbstractEventLoop) -> Peer:
    return Peer(loop)
