"""The same requests to our broker and to Apache Kafka: every API, every version, equal answers.

What is asked stands in ``tests/support/differential/``; what may differ, and why, in
``tests/support/differential/deviations.py``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from pykafka_ops.broker.handlers import ROUTES
from pykafka_ops.wire.codes import ErrorCode
from tests.support.differential.cases import EVERY, Runner
from tests.support.differential.core import Case
from tests.support.differential.deviations import DEVIATIONS, split
from tests.support.process.apache import ApacheBroker
from tests.support.process.broker import BrokerProcess


@pytest.fixture(scope="session")
def runner(
    request: pytest.FixtureRequest, pko_session: BrokerProcess, apache_session: ApacheBroker
) -> Iterator[Runner]:
    """Runs the cases of the tests that were selected."""
    chosen = [item.callspec.params.get("case") for item in request.session.items if is_case(item)]
    prefix = f"d{os.getpid()}"
    made = Runner(chosen, prefix, pko_session.bootstrap, apache_session.bootstrap)
    yield made
    made.close()


def is_case(item: pytest.Item) -> bool:
    return hasattr(item, "callspec") and isinstance(item.callspec.params.get("case"), Case)


def is_kafkas_trouble(answer: object) -> bool:
    """Whether Apache Kafka says UNKNOWN_SERVER_ERROR: as it does where two clients write to a znode
    of its settings at a time, or ZooKeeper is slow."""
    code = answer[0] if isinstance(answer, tuple) and answer else answer
    return code == ErrorCode.UNKNOWN_SERVER_ERROR


@pytest.mark.java
@pytest.mark.slow
@pytest.mark.parametrize("case", EVERY, ids=lambda case: case.title)
def test_the_answers_are_kafkas(case: Case, runner: Runner) -> None:
    found, compared = runner.outcome(case)
    unexplained, stale = split(case, found)
    if unexplained and all(is_kafkas_trouble(each.theirs) for each in unexplained):
        found, compared = runner.again(case)
        unexplained, stale = split(case, found)
    assert not unexplained, "\n".join(map(str, unexplained))
    assert not stale, f"no such difference any more: {stale}"
    assert compared > 0


def test_every_api_is_compared_in_every_version() -> None:
    compared = {(int(case.api), case.version) for case in EVERY}
    served = {
        (int(key), version)
        for key, route in ROUTES.items()
        for version in range(route.min_version, route.max_version + 1)
    }
    assert served - compared == set()


def test_every_deviation_is_about_some_case() -> None:
    for deviation in DEVIATIONS:
        assert any(map(deviation.covers, EVERY)), deviation
