"""The same requests by clients with few rights, to our broker and to Apache Kafka.

Each scenario of the differential test, in its first and last version, asked by guests. What they
may do stands in ``tests/support/differential/rights.py``. Scenarios that wait for what a guest
never gets are left out: nothing that they ask is asked by them alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, NamedTuple

import pytest

from pykafka_ops.broker.handlers import ROUTES
from tests.support.differential.cases import AT_ONCE, EVERY
from tests.support.differential.core import Case, Outcome, compare
from tests.support.differential.rights import (
    GUESTS,
    SETTINGS,
    as_far_as_it_comes,
    close_doors,
    ends_of_versions,
    side_of,
    unexplained,
)
from tests.support.process.apache import apache_alone
from tests.support.process.broker import BrokerProcess

pytestmark = [pytest.mark.java, pytest.mark.slow]

WAIT: Final = {
    "committed-readers",
    "committed-ends",
    "described-ids",
    "one-member",
    "producers-of-partitions",
    "static-members",
    "too-few-replicas",
    "two-members",
    "waiting",
}
CASES: Final = [
    case for case in ends_of_versions(EVERY) if case.name not in WAIT and not case.alone
]


class Asked(NamedTuple):
    """A scenario and who asks."""

    guest: str
    case: Case

    @property
    def title(self) -> str:
        return f"{self.guest}-{self.case.title}"


ASKED: Final = [Asked(guest, case) for guest in GUESTS for case in CASES]


@pytest.fixture(scope="module")
def brokers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    directory = tmp_path_factory.mktemp("rights")
    ours = BrokerProcess(directory / "pko", SETTINGS)
    try:
        ours.start()
        with apache_alone(directory, "apache", SETTINGS) as theirs:
            for broker in (ours, theirs):
                close_doors(broker.bootstrap)
            yield ours.bootstrap, theirs.bootstrap
    finally:
        ours.close()


@pytest.fixture(scope="module")
def outcomes(
    request: pytest.FixtureRequest, brokers: tuple[str, str]
) -> Iterator[dict[str, Future[Outcome]]]:
    """What the selected scenarios find; they run beside each other."""
    found = (getattr(item, "callspec", None) for item in request.session.items)
    chosen = [spec.params["asked"] for spec in found if spec and "asked" in spec.params]
    pool = ThreadPoolExecutor(AT_ONCE)
    yield {
        asked.title: pool.submit(
            compare,
            asked.case._replace(run=as_far_as_it_comes(asked.case.run)),
            f"r{list(GUESTS).index(asked.guest)}",
            *brokers,
            side_of(asked.guest),
        )
        for asked in chosen
    }
    pool.shutdown(wait=True, cancel_futures=True)


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: asked.title)
def test_who_has_few_rights_gets_the_answers_of_kafka(
    asked: Asked, outcomes: dict[str, Future[Outcome]]
) -> None:
    found, compared = outcomes[asked.title].result()
    left = unexplained(asked.case, found)
    assert not left, "\n".join(map(str, left))
    assert compared > 0


def test_every_api_is_asked() -> None:
    assert {int(case.api) for case in CASES} >= set(ROUTES) - {28, 61, 65}, "those wait"
