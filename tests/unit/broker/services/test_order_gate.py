"""Orders by sockets: obeyed from the controller there is, refused from one nobody has heard of."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pykafka_ops.broker.metadata.embedded import EmbeddedStore
from pykafka_ops.broker.metadata.znodes.cluster import ControllerEpoch
from pykafka_ops.broker.services import order_gate
from pykafka_ops.broker.services.order_gate import OrderGate
from pykafka_ops.broker.state.controller.orders import (
    LeaderAndIsrOrder,
    MetadataOrder,
    StopReplicaOrder,
)
from pykafka_ops.broker.state.image import MetadataDelta
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.obedient import Obedient

LIVE = 7


class Gate:
    """A gate before an obedient broker; the store knows controller epoch 7."""

    def __init__(self, directory: Path, *, alone: bool = False) -> None:
        self.store = EmbeddedStore(directory / "metadata.db")
        self.obedient = Obedient()
        self.gate = OrderGate(self.obedient, self.store, alone=alone)
        asyncio.run(self.store.create(ControllerEpoch.path, ControllerEpoch.encode(LIVE)))

    async def all_orders(self, epoch: int) -> list[int]:
        """Each kind of order by a controller of that epoch: its error, 0 where it was obeyed."""
        lead = LeaderAndIsrOrder(
            controller_id=1, controller_epoch=epoch, broker_epoch=-1, changes=[]
        )
        stop = StopReplicaOrder(controller_id=1, controller_epoch=epoch, broker_epoch=-1, stops=[])
        know = MetadataOrder(
            broker_epoch=-1,
            delta=MetadataDelta(controller_id=1, controller_epoch=epoch, brokers=()),
        )
        found = []
        for order in (
            self.gate.apply_leader_and_isr(lead),
            self.gate.apply_stop_replica(stop),
            self.gate.apply_update_metadata(know),
        ):
            try:
                await order
                found.append(0)
            except KafkaError as error:
                found.append(error.code)
        return found


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(order_gate, "PAUSE_SECONDS", 0.0)


def test_orders_of_the_controller_there_is_are_obeyed(tmp_path: Path) -> None:
    gate = Gate(tmp_path)
    assert asyncio.run(gate.all_orders(LIVE)) == [0, 0, 0]
    assert len(gate.obedient.orders) == 3


@pytest.mark.parametrize("epoch", [LIVE + 1, 2**31 - 1])
def test_an_epoch_that_no_controller_has_is_refused_and_shuts_nobody_out(
    tmp_path: Path, epoch: int
) -> None:
    gate = Gate(tmp_path)
    stale = ErrorCode.STALE_CONTROLLER_EPOCH
    assert asyncio.run(gate.all_orders(epoch)) == [stale] * 3
    assert gate.obedient.orders == []
    assert asyncio.run(gate.all_orders(LIVE)) == [0, 0, 0]


def test_a_new_controller_that_the_store_tells_of_late_is_obeyed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(tmp_path)

    async def order() -> list[int]:
        said = asyncio.create_task(gate.all_orders(LIVE + 1))
        await asyncio.sleep(0)
        await gate.store.set(ControllerEpoch.path, ControllerEpoch.encode(LIVE + 1))
        return await said

    assert asyncio.run(order()) == [0, 0, 0]


@pytest.mark.parametrize("epoch", [LIVE, LIVE + 1])
def test_a_broker_alone_takes_no_orders_by_sockets(tmp_path: Path, epoch: int) -> None:
    gate = Gate(tmp_path, alone=True)
    assert asyncio.run(gate.all_orders(epoch)) == [ErrorCode.STALE_CONTROLLER_EPOCH] * 3
    assert gate.obedient.orders == []


def test_orders_of_a_former_controller_are_for_the_executor_to_refuse(tmp_path: Path) -> None:
    assert asyncio.run(Gate(tmp_path).all_orders(4)) == [ErrorCode.STALE_CONTROLLER_EPOCH] * 3
