"""force-terminate says what became of the transaction, and makes no id."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages import describe_transactions as dtx
from pykafka_ops.wire.messages import find_coordinator as fc
from pykafka_ops.wire.messages import init_producer_id as ipi
from pykafka_ops.wire.messages import list_transactions as lt
from tests.support.golden.transcripts import Said, run
from tests.support.memory.fake_broker import FakeBroker

Fakes = tuple[FakeBroker, ...]
Pko = Callable[..., Said]


@pytest.fixture
def state(fakes: Fakes) -> dict[str, str]:
    """States by transactional id; InitProducerId says CONCURRENT_TRANSACTIONS while one is open,
    which it ends, and makes ids that are not there."""
    states: dict[str, str] = {}
    ends = {"Ongoing": "PrepareAbort", "PrepareAbort": "CompleteAbort"}

    def find(request: Any) -> Any:
        found = [
            fc.Coordinator(key=k, node_id=fakes[0].node_id, host="127.0.0.1", port=fakes[0].port)
            for k in request.coordinator_keys
        ]
        return fc.FindCoordinatorResponse(coordinators=found)

    def describe(request: Any) -> Any:
        found = []
        for id_ in request.transactional_ids:
            missing = ErrorCode.TRANSACTIONAL_ID_NOT_FOUND if id_ not in states else 0
            topics = [dtx.TopicData(topic="orders", partitions=[0, 1])]
            found.append(
                dtx.DescribeTransactionsResponseTransactionState(
                    transactional_id=id_,
                    error_code=missing,
                    transaction_state=states.get(id_, ""),
                    producer_id=7,
                    producer_epoch=3,
                    transaction_start_time_ms=1000,
                    topics=topics,
                )
            )
        return dtx.DescribeTransactionsResponse(transaction_states=found)

    def init(request: Any) -> Any:
        id_ = request.transactional_id
        if states.get(id_) in ends:
            states[id_] = ends[states[id_]]
            return ipi.InitProducerIdResponse(error_code=ErrorCode.CONCURRENT_TRANSACTIONS)
        if states.get(id_) != "Refused":
            states[id_] = "Empty"
            return ipi.InitProducerIdResponse()
        return ipi.InitProducerIdResponse(
            error_code=ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
        )

    def listed(request: Any) -> Any:
        of = lt.ListTransactionsResponseTransactionState
        found = [of(transactional_id=k, transaction_state=v) for k, v in states.items()]
        return lt.ListTransactionsResponse(transaction_states=found)

    for fake in fakes:
        fake.on("FindCoordinator", find).on("DescribeTransactions", describe)
        fake.on("InitProducerId", init).on("ListTransactions", listed)
    return states


def test_an_open_transaction_is_aborted_and_told(state: dict[str, str], pko: Pko) -> None:
    state["billing"] = "Ongoing"
    said = pko("transactions force-terminate billing --yes")
    assert said.code == 0 and state == {"billing": "Empty"}
    assert said.stderr.startswith("aborted: the transaction of billing, open for ")
    assert said.stderr.endswith("in orders-0, orders-1; producer 7 epoch 3 is fenced\n")


@pytest.mark.parametrize(
    ("before", "heard"),
    [
        ("CompleteCommit", "billing had no open transaction (CompleteCommit)"),
        ("PrepareAbort", "the transaction of billing was being aborted already, and has ended"),
    ],
)
def test_where_nothing_was_open_that_is_told(
    state: dict[str, str], pko: Pko, before: str, heard: str
) -> None:
    state["billing"] = before
    said = pko("transactions force-terminate billing --yes")
    assert (said.code, said.stderr) == (0, f"{heard}; producer 7 epoch 3 is fenced\n")


def test_an_id_that_is_not_there_is_not_made(state: dict[str, str], pko: Pko) -> None:
    state["billing"] = "Ongoing"
    for words in ("force-terminate biling --yes", "describe biling"):
        said = pko(f"transactions {words}")
        text = "there is no transactional id biling (did you mean billing?)"
        assert (said.code, said.stderr) == (1, f"pko: {text} [TRANSACTIONAL_ID_NOT_FOUND]\n")
    assert state == {"billing": "Ongoing"}


def test_a_refusal_ends_the_command(state: dict[str, str], pko: Pko) -> None:
    state["billing"] = "Refused"
    assert pko("transactions force-terminate billing --yes").code == 3


def test_kafkas_tool_is_silent_and_makes_the_id(state: dict[str, str], fakes: Fakes) -> None:
    state["billing"] = "Ongoing"
    tool = ("kafka-transactions", "--bootstrap-server", fakes[0].bootstrap)
    verb = "forceTerminateTransaction"
    for id_ in ("billing", "nosuch"):
        said = run(*tool, verb, "--transactionalId", id_)
        assert (said.code, said.stdout, said.stderr) == (0, "", "")
    assert state == {"billing": "Empty", "nosuch": "Empty"}
    assert "argument --transactionalId is required" in run(*tool, verb).stderr
