"""What tests of commits share."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from pykafka_ops.broker.handlers.offset_commit_shape import OffsetCommitShape


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    made = asyncio.new_event_loop()
    yield made
    made.close()


@pytest.fixture
def ordinary(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What commits of a known shape that did not go straight through were answered."""
    return _noted(monkeypatch, "ordinary")


@pytest.fixture
def replicated(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What those that did, and that followers have to have, were answered."""
    return _noted(monkeypatch, "replicated")


def _noted(monkeypatch: pytest.MonkeyPatch, name: str) -> list[object]:
    found: list[object] = []
    method = getattr(OffsetCommitShape, name)

    def noted(shape: OffsetCommitShape, *arguments: Any) -> object:
        answer = method(shape, *arguments)
        found.append(answer)
        return answer

    monkeypatch.setattr(OffsetCommitShape, name, noted)
    return found
