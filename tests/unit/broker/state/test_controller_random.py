"""Whatever happens to a cluster, the controller keeps it consistent."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from pykafka_ops.broker.state.election import ElectionType
from pykafka_ops.broker.state.leadership import Assignment
from tests.support.controller_world import World, new_topic

BROKERS = (0, 1, 2)
TOPICS = st.sampled_from(["a", "b", "c"])
REPLICAS = st.lists(st.sampled_from(BROKERS), min_size=1, max_size=3, unique=True)


class ControllerMachine(RuleBasedStateMachine):
    """Brokers come and go, topics too; followers catch up; the controller moves."""

    @initialize()
    def begin(self) -> None:
        self.world = World(*BROKERS)
        self.epochs: dict[tuple[str, bytes, int], int] = {}
        self.created = 0

    @rule(topic=TOPICS, replicas=st.lists(REPLICAS, min_size=1, max_size=3))
    def create(self, topic: str, replicas: list[list[int]]) -> None:
        self.created += 1
        id_ = self.created.to_bytes(16, "big")
        self.world.create(new_topic(topic, *replicas, topic_id=id_))

    @rule(topic=TOPICS)
    def delete(self, topic: str) -> None:
        self.world.delete(topic)

    @rule(topic=TOPICS, replicas=REPLICAS)
    def add_partition(self, topic: str, replicas: list[int]) -> None:
        controller = self.world.controller
        if topic in controller.cluster.topics and topic not in controller.cluster.deletions:
            index = len(controller.cluster.topics[topic].partitions)
            added = {index: Assignment.of(replicas)}
            self.world.run(controller.topics.add_partitions(topic, added))
            self.world.deliver()

    @rule(broker=st.sampled_from(BROKERS))
    def kill(self, broker: int) -> None:
        if broker in self.world.live and len(self.world.live) > 1:
            self.world.kill(broker)

    @rule(broker=st.sampled_from(BROKERS))
    def start(self, broker: int) -> None:
        self.world.start(broker)

    @rule(broker=st.sampled_from(BROKERS))
    def stop_in_order(self, broker: int) -> None:
        if broker in self.world.live and len(self.world.live) > 1:
            self.world.run(self.world.controller.brokers.controlled_shutdown(broker, -1))
            self.world.deliver()
            self.world.kill(broker)

    @rule()
    def followers_catch_up_and_the_controller_moves(self) -> None:
        for (topic, index), state in self.world.states.items():
            replicas = self.world.topics[topic].partitions[index].replicas
            live = tuple(id_ for id_ in replicas if id_ in self.world.live)
            if state.leader in live and topic not in self.world.marked:
                grown = state._replace(isr=live, partition_epoch=state.partition_epoch + 1)
                self.world.states[topic, index] = grown
        self.world.elect_controller()

    @rule(kind=st.sampled_from(ElectionType))
    def elect(self, kind: ElectionType) -> None:
        if kind is ElectionType.PREFERRED:
            self.world.run(self.world.controller.elect(None, kind))
            self.world.deliver()

    @invariant()
    def every_partition_with_a_live_in_sync_replica_is_led_by_one(self) -> None:
        for (topic, index), state in self.world.states.items():
            if topic in self.world.marked:
                continue
            live_isr = [id_ for id_ in state.isr if id_ in self.world.live]
            assert state.isr
            if live_isr:
                assert state.leader in live_isr, (topic, index, state)
            else:
                assert state.leader == -1

    @invariant()
    def leader_epochs_never_go_back(self) -> None:
        for (topic, index), state in self.world.states.items():
            key = (topic, self.world.topics[topic].topic_id, index)
            assert state.leader_epoch >= self.epochs.get(key, 0)
            self.epochs[key] = state.leader_epoch

    @invariant()
    def every_live_broker_knows_the_truth(self) -> None:
        world = self.world
        healthy = {key: s for key, s in world.states.items() if key[0] not in world.marked}
        for id_, broker in world.brokers.items():
            image = broker.image
            assert set(image.brokers) == set(world.live)
            known = {
                (topic, index): (p.leader, p.leader_epoch, p.isr, p.partition_epoch)
                for topic, found in image.topics.items()
                for index, p in found.partitions.items()
            }
            assert known == {
                key: (s.leader, s.leader_epoch, s.isr, s.partition_epoch)
                for key, s in healthy.items()
            }
            for topic, found in image.topics.items():
                assert found.topic_id == world.topics[topic].topic_id
                for index, partition in found.partitions.items():
                    replicas = world.topics[topic].partitions[index].replicas
                    assert partition.replicas == replicas
                    assert set(partition.offline) == set(replicas) - set(world.live)
            led = {key for key, state in healthy.items() if state.leader == id_}
            assert led <= set(broker.replicas)
            for key in led:
                assert broker.replicas[key].state.leader_epoch == healthy[key].leader_epoch
            assert all(
                id_ in world.topics[topic].partitions[index].replicas
                for topic, index in broker.replicas
            )

    @invariant()
    def deletions_end_once_all_brokers_live(self) -> None:
        if set(self.world.live) == set(BROKERS):
            assert self.world.marked == set()
            assert set(self.world.topics) == set(self.world.controller.cluster.topics)


ControllerMachine.TestCase.settings = settings(
    max_examples=40, stateful_step_count=25, deadline=None
)
TestController = ControllerMachine.TestCase
