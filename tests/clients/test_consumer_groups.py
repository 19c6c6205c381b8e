"""Consumers of every library that leaves assignment to the broker (KIP-848), killed, stopped and
fenced, and groups on their way from one protocol to the other."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.support.clients.consumer_site import SESSION_MS, epoch
from tests.support.clients.group_member import CONSUMER
from tests.support.clients.group_members import (
    GO,
    PARTITIONS,
    Crew,
    Hosts,
    Member,
    create,
    produce,
    values,
    wait_shared,
)
from tests.support.java.java_kit import NEWEST
from tests.support.waiting import wait_for

pytestmark = pytest.mark.slow
EVERY = [
    "confluent-kafka",
    pytest.param(f"java-{NEWEST}", marks=pytest.mark.java),
    pytest.param(GO, marks=pytest.mark.go),
]


@pytest.fixture
def crew(consumer_site: Any, topic: str, java_hosts: Hosts) -> Iterator[Crew]:
    """The group of the test, still without members."""
    create(consumer_site.bootstrap, topic)
    made = Crew(consumer_site.bootstrap, topic, java_hosts)
    yield made
    made.close()


@pytest.fixture
def join(crew: Crew) -> Callable[..., Member]:
    """``join(library)``: one more member of the consumer protocol."""
    return lambda library, **of: crew.join(library, CONSUMER, **of)


class Written:
    """Records of the topic; all that were written are to be read."""

    def __init__(self, crew: Crew) -> None:
        self.crew, self.values = crew, list[str]()

    def more(self) -> list[str]:
        """Forty more, ten in each partition."""
        new = values(len(self.values))
        self.values += new
        produce(self.crew.bootstrap, self.crew.topic, new)
        return new

    def wait_read(self) -> None:
        """Who is fenced between reading and committing leaves records to others, who read them
        again."""
        wanted = set(self.values)
        wait_for(lambda: set(self.crew.read()) == wanted, what="records", about=self.crew.made)


@pytest.fixture
def written(crew: Crew) -> Written:
    return Written(crew)


@pytest.mark.parametrize("library", EVERY)
def test_who_keeps_partitions_reads_on_while_another_joins(
    join: Callable[..., Member], written: Written, library: str
) -> None:
    first = join(library)
    wait_shared(first)
    slow = join(library, alone=True)
    wait_shared(first, slow)
    held = set(slow.assigned)
    slow.body.stop(signal.SIGSTOP)
    third = join(library)
    new = written.more()
    free = {value for n, value in enumerate(new) if n % PARTITIONS not in held}
    wait_for(lambda: free <= {*first.read, *third.read}, what="records", about=[first, third])
    assert not held & (first.assigned | third.assigned), "the other still has them"
    assert first.assigned, "it kept some"
    wait_shared(first, third)  # the session of the one that stands still is over
    slow.body.stop(signal.SIGCONT)
    wait_shared(first, slow, third)
    written.more()
    written.wait_read()


@pytest.mark.parametrize("library", EVERY)
def test_members_go_on_when_one_of_them_or_their_broker_is_killed(
    consumer_site: Any, join: Callable[..., Member], written: Written, library: str
) -> None:
    first = join(library)
    wait_shared(first)
    second, doomed = join(library), join(library, alone=True)
    wait_shared(first, second, doomed)
    written.more()
    written.wait_read()
    doomed.body.kill()
    written.more()
    wait_shared(first, second)
    written.wait_read()
    had = set(first.assigned), set(second.assigned)
    consumer_site.kill()
    consumer_site.start()
    written.more()
    written.wait_read()
    assert (first.assigned, second.assigned) == had
    wait_shared(first, second, join(library))


# franz-go 1.22.2 does not say its name when it goes, so no broker knows that it will be back.
@pytest.mark.parametrize("library", EVERY[:-1])
def test_a_static_member_holds_its_name_and_its_partitions(
    crew: Crew, join: Callable[..., Member], written: Written, library: str
) -> None:
    one, other = join(library, instance="one"), join(library, instance="other")
    wait_shared(one, other)
    before, changes, had = epoch(crew.bootstrap, crew.group), other.changes, set(one.assigned)
    taker = join(library, instance="one")
    wait_for(lambda: taker.fenced, what="the end of the second", about=crew.made)
    one.body.leave()
    written.more()
    back = join(library, instance="one")
    wait_for(lambda: back.assigned == had, what="its old partitions", about=crew.made)
    written.wait_read()
    assert (epoch(crew.bootstrap, crew.group), other.changes, taker.assigned) == (
        before,
        changes,
        set(),
    )


@pytest.mark.parametrize("library", EVERY)
def test_a_killed_static_member_comes_back_when_its_session_is_over(
    join: Callable[..., Member], written: Written, library: str
) -> None:
    one, other = join(library, instance="one", alone=True), join(library, instance="other")
    wait_shared(one, other)
    one.body.kill()
    wait_shared(other)
    wait_shared(other, join(library, instance="one"))
    written.more()
    written.wait_read()


@pytest.mark.parametrize("library", EVERY)
def test_a_live_group_goes_to_the_new_protocol_and_back(
    crew: Crew, join: Callable[..., Member], written: Written, library: str
) -> None:
    how = {"strategy": "cooperative-sticky", "session_ms": SESSION_MS}
    old = [crew.join(library, **how) for _ in range(2)]
    wait_shared(*old)
    written.more()
    new = join(library)
    wait_shared(*old, new)
    written.more()
    for each in old:
        each.body.leave()
    wait_shared(new)
    written.more()
    again = crew.join(library, **how)
    wait_shared(new, again)
    written.more()
    written.wait_read()
    new.body.leave()
    wait_shared(again)
    written.more()
    written.wait_read()
