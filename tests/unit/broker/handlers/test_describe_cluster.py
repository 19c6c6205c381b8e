"""DescribeCluster: live brokers on the client's listener, and the controller."""

from __future__ import annotations

import pytest

from pykafka_ops.wire.messages.describe_cluster import DescribeClusterRequest
from tests.support.memory.handler_site import ME, OTHER, Site

INVALID_REQUEST, MISMATCHED, UNSUPPORTED = 42, 114, 115
NOT_ASKED = -(1 << 31)


@pytest.mark.parametrize("version", range(2))
def test_brokers_and_controller_are_told(version: int) -> None:
    answer = Site().ask(DescribeClusterRequest(), version)
    assert (answer.error_code, answer.cluster_id, answer.controller_id) == (0, "cluster", ME)
    brokers = [(b.broker_id, b.host, b.port) for b in answer.brokers]
    assert sorted(brokers) == [(ME, "host0", 9092), (OTHER, "host1", 9093)]
    assert answer.cluster_authorized_operations == NOT_ASKED


def test_a_controller_that_is_gone_is_not_told() -> None:
    site = Site()
    site.update({}, alive=(OTHER,))
    answer = site.ask(DescribeClusterRequest(), 1)
    assert ([b.broker_id for b in answer.brokers], answer.controller_id) == ([OTHER], -1)


def test_operations_are_told_to_who_asks() -> None:
    asked = DescribeClusterRequest(include_cluster_authorized_operations=True)
    assert Site().ask(asked, 1).cluster_authorized_operations > 0


@pytest.mark.parametrize(
    ("kind", "code", "text"), [(2, MISMATCHED, "of type CONTROLLER"), (7, UNSUPPORTED, "type 7")]
)
def test_there_are_no_other_endpoints(kind: int, code: int, text: str) -> None:
    answer = Site().ask(DescribeClusterRequest(endpoint_type=kind), 1)
    assert answer.error_code == code
    assert answer.error_message.endswith(text)
