"""Two of our brokers, each a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.mirror.pair import MirrorPair
from tests.support.process.broker import BrokerProcess


@pytest.fixture(scope="module")
def brokers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[BrokerProcess]]:
    base: Path = tmp_path_factory.mktemp("mirror")
    started = [BrokerProcess(base / name).start() for name in ("a", "b")]
    yield started
    for broker in started:
        broker.kill()


@pytest.fixture
def pair(brokers: list[BrokerProcess]) -> MirrorPair:
    return MirrorPair(brokers[0].bootstrap, brokers[1].bootstrap)
