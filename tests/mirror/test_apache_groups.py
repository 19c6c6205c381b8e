"""Groups move to and from Apache Kafka."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pykafka_ops.mirror.failover.checks import checks_of, failed, steps_of
from pykafka_ops.mirror.failover.facts import look
from pykafka_ops.mirror.failover.failover import fail_over
from tests.support.mirror.two_sites import (
    PART,
    consume_numbers,
    kept_of_fives,
    produce_fives,
    two_sites,
)
from tests.support.process.apache import ApacheBroker
from tests.support.process.broker import BrokerProcess
from tests.support.process.server import ServerProcess

pytestmark = [pytest.mark.slow, pytest.mark.java]


@pytest.mark.parametrize("theirs", ["a", "b"])
def test_a_group_moves_between_both_kinds_of_brokers(
    theirs: str,
    make_broker: Callable[..., BrokerProcess],
    make_apache: Callable[..., ApacheBroker],
    tmp_path: Path,
) -> None:
    def make(name: str) -> ServerProcess:
        return make_apache(tmp_path / name) if name == theirs else make_broker(name)

    with two_sites(make) as site:
        produce_fives(site.a, 0, 60)
        for most in (7, 1, 100):
            site.mirror.copy(PART, most)
        site.mirror.copy_all(PART)
        kept = kept_of_fives(0, 60)
        seen = consume_numbers(site.a, "orders", 25, commit=23)[:23]
        facts = look(site.sync.link, site.source, site.target, still_seconds=0)
        assert failed(checks_of(facts, 0)) == []
        assert [step.kind for step in steps_of(facts)] == ["pause", "commit"]
        fail_over(facts, site.source, site.target, 1_700_000_000_000)
        assert seen + consume_numbers(site.b, "a.orders", len(kept) - 23) == kept
