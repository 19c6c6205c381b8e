"""A fake cluster of two brokers for whole commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.golden.transcripts import Said, run
from tests.support.memory.fake_broker import FakeBroker, two_brokers


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[tuple[FakeBroker, ...]]:
    """Two brokers; PKO_BOOTSTRAP_SERVER names the first."""
    brokers = two_brokers()
    monkeypatch.setenv("PKO_BOOTSTRAP_SERVER", brokers[0].bootstrap)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    yield brokers
    for broker in brokers:
        broker.close()


@pytest.fixture
def pko() -> Callable[..., Said]:
    """Run pko with short times: ``pko("topics list")``."""

    def call(line: str, *more: str) -> Said:
        times = ("-X", "default.api.timeout.ms=500", "-X", "retry.backoff.ms=5")
        return run(*line.split(), *more, *times)

    return call
