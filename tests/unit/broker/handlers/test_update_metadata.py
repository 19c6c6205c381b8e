"""UpdateMetadata: taken over as it came, refused when it is of the past."""

from __future__ import annotations

import pytest

from pykafka_ops.wire.messages import update_metadata as um
from tests.support.memory.obedient import STALE, OrderSite


@pytest.fixture
def site() -> OrderSite:
    return OrderSite()


def test_it_is_taken_over(site: OrderSite) -> None:
    broker = um.UpdateMetadataBroker(id=3, rack="r")
    request = um.UpdateMetadataRequest(controller_epoch=5, live_brokers=[broker])
    assert site.order(request, 8).error_code == 0
    (order,) = site.obedient.orders
    assert [(b.id, b.rack) for b in order.delta.brokers] == [(3, "r")]


@pytest.mark.parametrize("version", range(9))
def test_a_former_controller_is_refused(site: OrderSite, version: int) -> None:
    assert site.order(um.UpdateMetadataRequest(controller_epoch=4), version).error_code == STALE
    assert site.obedient.orders == []
