"""What tests of commits share."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from pykafka_ops.broker.coordinators.commit_path import CommitPath


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    made = asyncio.new_event_loop()
    yield made
    made.close()


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What commits that went straight through ended with."""
    found: list[object] = []
    commit = CommitPath.commit

    def noted(path: CommitPath, *numbers: Any) -> object:
        code = commit(path, *numbers)
        if code is not None:
            found.append(code)
        return code

    monkeypatch.setattr(CommitPath, "commit", noted)
    return found
