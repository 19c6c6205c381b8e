"""Whatever happens to a cluster, the controller keeps it consistent."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from pykafka_ops.broker.state.controller.election import ElectionType
from pykafka_ops.broker.state.controller.leadership import ReplicaAssignment
from tests.support.memory.controller_world import CrashError, World, new_topic

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
            added = {index: ReplicaAssignment.of(replicas)}
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

    @rule(topic=TOPICS, to=st.none() | REPLICAS)
    def move(self, topic: str, to: list[int] | None) -> None:
        if topic in self.world.topics:
            self.world.move(topic, 0, to)

    @rule(topic=TOPICS, to=REPLICAS)
    def an_older_tool_asks_for_a_move(self, topic: str, to: list[int]) -> None:
        self.world.asked = {(topic, 0): tuple(to)}
        self.world.run(self.world.controller.moves.asked_by_znode(self.world.asked))
        self.world.deliver()

    @rule(topic=TOPICS, to=REPLICAS, step=st.integers(1, 9))
    def the_controller_dies_amid_a_move(self, topic: str, to: list[int], step: int) -> None:
        world = self.world
        if topic not in world.topics or topic in world.marked:
            return
        world.log.clear()
        world.crash_after = step
        try:
            world.move(topic, 0, to)
            self._catch_up(topic, 0)
        except CrashError:
            pass
        world.crash_after = None
        world.replies.clear()
        world.elect_controller()

    @rule(topic=TOPICS)
    def followers_catch_up(self, topic: str) -> None:
        for index in range(len(self.world.topics[topic].partitions if self._lives(topic) else ())):
            self._catch_up(topic, index)

    def _lives(self, topic: str) -> bool:
        return topic in self.world.topics

    def _catch_up(self, topic: str, index: int) -> None:
        """All live replicas are in sync, so the leader says."""
        state = self.world.states.get((topic, index))
        if state is None or state.leader not in self.world.live:
            return
        replicas = self.world.topics[topic].partitions[index].replicas
        live = [id_ for id_ in replicas if id_ in self.world.live]
        if set(live) >= set(state.isr) and set(live) != set(state.isr):
            self.world.in_sync(topic, index, *live)

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
            self.world.run(self.world.controller.elections.elect(None, kind))
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
    def a_move_whose_target_is_in_sync_is_over(self) -> None:
        for (topic, index), state in self.world.states.items():
            move = self.world.topics[topic].partitions[index]
            assert len(set(move.replicas)) == len(move.replicas)
            assert move.replicas
            assert not move.being_reassigned or not set(move.target) <= set(state.isr)

    @invariant()
    def what_older_tools_asked_for_is_under_way_or_gone(self) -> None:
        for (topic, index), target in self.world.asked.items():
            move = self.world.topics[topic].partitions[index]
            assert move.being_reassigned
            assert move.target == target

    @invariant()
    def what_moved_away_is_deleted(self) -> None:
        for id_, broker in self.world.brokers.items():
            for topic, index in broker.replicas:
                assert id_ in self.world.topics[topic].partitions[index].replicas

    @invariant()
    def leader_epochs_never_go_back(self) -> None:
        for (topic, index), state in self.world.states.items():
            key = (topic, self.world.topics[topic].topic_id, index)
            assert state.leader_epoch >= self.epochs.get(key, 0)
            self.epochs[key] = state.leader_epoch

    def _is_moving(self, topic: str) -> bool:
        record = self.world.topics.get(topic)
        return record is not None and any(
            assignment.being_reassigned for assignment in record.partitions.values()
        )

    @invariant()
    def every_live_broker_knows_the_truth(self) -> None:
        world = self.world
        going = {t for t in world.marked if not self._is_moving(t)}  # the others are moved first
        healthy = {key: s for key, s in world.states.items() if key[0] not in going}
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
            moving = {topic for topic, _ in self.world.controller.cluster.being_reassigned()}
            assert self.world.marked <= moving  # the move comes first
            assert set(self.world.topics) == set(self.world.controller.cluster.topics)


ControllerMachine.TestCase.settings = settings(
    max_examples=40, stateful_step_count=25, deadline=None
)
TestController = ControllerMachine.TestCase
