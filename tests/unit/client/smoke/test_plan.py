"""A step is run only where what it needs went well, and says how it went."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import Address, ClientConfig
from pykafka_ops.client.smoke import plan
from pykafka_ops.client.smoke.plan import Step, StepOutcome, run_steps
from pykafka_ops.client.smoke.site import NothingToDoError, SmokeSite, StepError
from pykafka_ops.errors import KafkaError, PkoError


def site(*, read_only: bool = False) -> SmokeSite:
    cluster = Cluster(ClientConfig([Address("nowhere", 1)], {}))
    return SmokeSite(
        cluster, "s", named=None, read_only=read_only, brokers=None, replication_factor=None
    )


def raising(error: PkoError) -> Callable[[SmokeSite], str]:
    def work(_: SmokeSite) -> str:
        raise error

    return work


def run(
    monkeypatch: pytest.MonkeyPatch, *steps: Step, read_only: bool = False
) -> list[StepOutcome]:
    monkeypatch.setattr(plan, "STEPS", steps)
    return [o._replace(ms=o.ms and 1.0) for o in run_steps(site(read_only=read_only), str)]


def test_behind_a_failure_all_that_build_on_it_are_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = run(
        monkeypatch,
        Step("a", raising(StepError("broker 1", "is dead"))),
        Step("b", lambda _: "seen", "a"),
        Step("c", lambda _: "seen", "b"),
        Step("d", lambda _: "seen"),
    )
    verdicts = [(o.step, o.verdict, o.where, o.reason, o.detail) for o in outcomes]
    assert verdicts == [
        ("a", "failed", "broker 1", "is dead", ""),
        ("b", "not run", "", "needs a", ""),
        ("c", "not run", "", "needs b", ""),
        ("d", "ok", "", "", "seen"),
    ]
    assert [o.ms is None for o in outcomes] == [False, True, True, False]


def test_a_failure_in_part_and_what_is_left_out_hold_nothing_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    outcomes = run(
        monkeypatch,
        Step("a", raising(StepError("broker 1", "is dead", partly=True))),
        Step("b", raising(NothingToDoError("nothing there")), "a"),
        Step("c", lambda _: "seen", "b"),
    )
    assert [o.verdict for o in outcomes] == ["failed", "left out", "ok"]
    assert outcomes[1].detail == "nothing there"


def test_errors_of_kafka_are_one_line_with_their_name(monkeypatch: pytest.MonkeyPatch) -> None:
    (outcome,) = run(monkeypatch, Step("a", raising(KafkaError(29, "no\nrights"))))
    assert (outcome.verdict, outcome.reason) == (
        "failed", "no rights [TOPIC_AUTHORIZATION_FAILED]"
    )  # fmt: skip


def test_what_writes_is_left_out_of_a_round_that_only_reads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    outcomes = run(
        monkeypatch,
        Step("a", lambda _: "seen", writes=False),
        Step("b", lambda _: "written", "a"),
        Step("c", lambda _: "seen", "b", writes=False),
        read_only=True,
    )
    assert [(o.verdict, o.detail) for o in outcomes] == [
        ("ok", "seen"), ("left out", "read-only"), ("ok", "seen")
    ]  # fmt: skip


def test_some_steps_are_asked_for_with_those_they_build_on() -> None:
    assert plan.with_needs(["metadata"]) == {"metadata"}
    assert plan.with_needs(["transaction"]) == {
        "metadata", "create", "produce", "transaction", "delete",
    }  # fmt: skip


def test_steps_that_are_not_asked_for_are_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = (Step("a", lambda _: "seen"), Step("b", lambda _: "seen", "a"))
    monkeypatch.setattr(plan, "STEPS", steps)
    assert [o.step for o in run_steps(site(), str, {"a"})] == ["a"]
