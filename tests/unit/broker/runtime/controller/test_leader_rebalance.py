"""Leadership returns to preferred replicas by itself, where enough of it is astray."""

from __future__ import annotations

import asyncio
from pathlib import Path

from pykafka_ops.broker.runtime.controller.leader_rebalance import RebalanceSettings
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.controller.isr_rules import IsrChange
from tests.support.memory.controller_world import new_topic
from tests.support.memory.replica_double import Nodes, eventually


async def lead_elsewhere(nodes: Nodes, replicas: list[list[int]]) -> None:
    """Topic t; broker 1 dies and comes back, in sync everywhere but leading nothing."""
    loop = nodes[0].loop
    await eventually(lambda: set(nodes[0].image.brokers) == {0, 1})
    await loop.perform(lambda c: c.topics.create([new_topic("t", *replicas)]))
    await nodes[1].die()
    del nodes.nodes[1]
    await eventually(lambda: set(nodes[0].image.brokers) == {0})
    await nodes.add(1)
    await eventually(lambda: set(nodes[0].image.brokers) == {0, 1})
    controller = loop._rules
    assert controller is not None
    changes = {}
    for topic, index, record in controller.cluster.all_partitions():
        assert record.state is not None
        if record.state.isr == (0,):
            state = record.state
            changes[topic, index] = IsrChange((0, 1), state.leader_epoch, state.partition_epoch)
    epoch = controller.cluster.brokers[0].epoch
    await loop.perform(lambda c: c.isr.alter(0, epoch, changes))


def leaders(nodes: Nodes) -> list[int]:
    partitions = nodes[0].image.topics["t"].partitions
    return [partitions[index].leader for index in sorted(partitions)]


def test_preferred_replicas_lead_again_after_a_while(tmp_path: Path) -> None:
    settings = RebalanceSettings(percentage=10, interval_s=0.01, first_s=0.0)

    async def main() -> None:
        async with Nodes(tmp_path, 2, rebalance=settings) as nodes:
            await lead_elsewhere(nodes, [[1, 0], [0, 1], [1, 0]])
            await eventually(lambda: leaders(nodes) == [1, 0, 1])

    asyncio.run(main())


def test_what_the_settings_say() -> None:
    found = RebalanceSettings.of(BrokerConfigs({}).value)
    assert found == RebalanceSettings(percentage=10, interval_s=300)
    off = BrokerConfigs({"auto.leader.rebalance.enable": "false"})
    assert RebalanceSettings.of(off.value) is None
