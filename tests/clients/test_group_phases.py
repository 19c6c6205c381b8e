"""The broker ends in each phase of a rebalance of real consumers: they go on and miss nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pykafka_ops.wire.messages.describe_groups import DescribeGroupsRequest
from scripts.benchmarks.group_loads import NOT_YET, Link, Member, meet
from tests.support.clients.group_members import (
    JAVA,
    PYTHON,
    Crew,
    Hosts,
    create,
    produce,
    values,
    wait_shared,
)
from tests.support.differential.two_brokers import CLOSED
from tests.support.differential.two_brokers import Link as Asker
from tests.support.process.broker import BrokerProcess
from tests.support.waiting import wait_for

pytestmark = pytest.mark.slow
SETTINGS = {"group_initial_rebalance_delay_ms": 0, "offsets_topic_num_partitions": 1}
REBALANCE_IN_PROGRESS = 27


class Scene:
    """A broker, a group of real consumers, and a member that keeps them waiting."""

    def __init__(self, broker: BrokerProcess, crew: Crew, ending: str) -> None:
        self.broker, self.crew, self.ending = broker, crew, ending
        self.silent = Member(broker.bootstrap, crew.group)
        self.written = 0

    def looks(self) -> tuple[str, int]:
        """The group's state and how many members it has."""
        asker = Asker(self.broker.bootstrap)
        answer: Any = asker.ask(DescribeGroupsRequest(groups=[self.crew.group]), 5)
        asker.close()
        if answer == CLOSED:
            return "", 0
        return str(answer.groups[0].group_state), len(answer.groups[0].members)

    def wait_looks(self, state: str, members: int) -> None:
        wait_for(lambda: self.looks() == (state, members), what=f"{members} {state}")

    def join(self, member: Member) -> int:
        """Join with an id; the answer waits for everybody."""
        if not member.id:
            member.send_join()
            member.read_join()
        member.send_join()
        return member.read_join()

    def end_broker(self) -> None:
        """End and start it; whoever kept the others waiting gives up."""
        if self.ending == "kill":
            self.broker.kill()
            self.broker.start()
        else:
            self.broker.restart()
        self.silent.link.close()
        self.silent.link = Link(self.broker.bootstrap)
        wait_for(lambda: self.silent.heartbeat() not in NOT_YET, what="a coordinator")
        self.silent.leave()

    def goes_on(self) -> None:
        """All consumers have their share and read all that is written."""
        wait_shared(*self.crew.made)
        produce(self.broker.bootstrap, self.crew.topic, values(self.written))
        self.written += 40
        self.crew.wait_read(self.written)
        assert sorted(self.crew.read()) == sorted(values(0, self.written))


@pytest.fixture
def scene(
    request: pytest.FixtureRequest,
    make_broker: Callable[..., BrokerProcess],
    topic: str,
    java_hosts: Hosts,
) -> Iterator[Scene]:
    broker = make_broker(**SETTINGS).start()
    create(broker.bootstrap, topic)
    crew = Crew(broker.bootstrap, topic, java_hosts)
    yield Scene(broker, crew, request.param)
    crew.close()


def end_while_they_wait_for_assignments(scene: Scene, libraries: list[str]) -> None:
    """The leader, who was there first, does not tell who gets what."""
    leader = scene.silent
    leader.link.find_coordinator(scene.crew.group)
    meet([leader])
    for library in libraries:
        scene.crew.join(library)
    everybody = 1 + len(libraries)

    def all_joined() -> bool:
        if leader.heartbeat() == REBALANCE_IN_PROGRESS:
            assert scene.join(leader) == 0
        return scene.looks() == ("CompletingRebalance", everybody)

    wait_for(all_joined, what="everybody", about=scene.crew.made)
    assert leader.leader == leader.id
    assert not any(member.assigned for member in scene.crew.made)
    scene.end_broker()


def end_while_they_join(scene: Scene) -> None:
    """A member of the generation before does not join again."""
    silent = scene.silent = Member(scene.broker.bootstrap, scene.crew.group)
    everybody = 1 + len(scene.crew.made)
    assert scene.join(silent) == 0
    silent.send_sync()
    assert silent.read_sync() == 0
    wait_shared(*scene.crew.made)
    newcomer = Member(scene.broker.bootstrap, scene.crew.group)
    newcomer.send_join()
    newcomer.read_join()
    newcomer.send_join()
    scene.wait_looks("PreparingRebalance", everybody + 1)
    first = scene.crew.made[0]  # the one that shows that it has given up what it had
    wait_for(lambda: not first.assigned, what="joining", about=scene.crew.made)
    scene.end_broker()
    newcomer.link.close()


@pytest.mark.parametrize(
    ("scene", "libraries"),
    [
        ("stop", PYTHON),
        pytest.param("kill", [*PYTHON, JAVA[0]], marks=pytest.mark.java),
    ],
    indirect=["scene"],
    ids=["stop", "kill"],
)
def test_consumers_go_on_whatever_phase_the_broker_ended_in(
    scene: Scene, libraries: list[str]
) -> None:
    end_while_they_wait_for_assignments(scene, libraries)
    scene.goes_on()
    end_while_they_join(scene)
    scene.goes_on()
    scene.wait_looks("Stable", len(libraries))
    scene.end_broker()
    scene.goes_on()
    assert scene.broker.stop() == 0
