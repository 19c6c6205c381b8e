"""TxnOffsetCommit: offsets that count when their transaction is committed."""

from __future__ import annotations

import pytest

from pykafka_ops.wire.messages.txn_offset_commit import TxnOffsetCommitRequest
from tests.support.memory.group_requests import OFFSETS, code_of, requests
from tests.support.memory.handler_site import Site

NOT_AVAILABLE = 15


@pytest.mark.parametrize("version", range(2))
def test_transactions_of_old_clients_are_told_that_there_is_no_coordinator(version: int) -> None:
    site = Site()
    (partition,) = site.topic(OFFSETS, 1)
    site.topic("t", 2)
    site.services.groups.coordinator.elected(partition)
    request = next(r for r, _ in requests() if isinstance(r, TxnOffsetCommitRequest))
    assert code_of(site.ask(request, version)) == NOT_AVAILABLE
    site.coordinators.load()
