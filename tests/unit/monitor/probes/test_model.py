"""What runs of a probe come to: verdict, availability, what is not known any more."""

from __future__ import annotations

from pykafka_ops.client.smoke.plan import STEPS, StepOutcome
from pykafka_ops.monitor.alerts.rules.facts import PROBE_STEPS
from pykafka_ops.monitor.probes.model import HOUR, STEP_FACTS, ProbeRun, ProbeState
from pykafka_ops.monitor.probes.settings import ProbeSettings

GOOD = StepOutcome("produce", "ok", 4.5, detail="acks=all through 1 broker")
BAD = StepOutcome("produce", "failed", 100.0, "orders-0 on broker 1", "1 of 3 in sync")
NOT_RUN = StepOutcome("consume", "not run", None, reason="needs produce")


def state() -> ProbeState:
    return ProbeState(ProbeSettings("p", "prod"))


def run(*outcomes: StepOutcome) -> ProbeRun:
    return ProbeRun(1000, 120.0, outcomes)


def test_before_the_first_run_nothing_is_known() -> None:
    row = state().row(5.0)
    unknown = ("ok", "failed_step", "failed", "total_ms", "availability_percent", "at",
               "age_seconds")  # fmt: skip
    assert {row[name] for name in unknown} == {None}
    assert set(state().figures(5.0).values()) == {None}


def test_a_run_that_went_well() -> None:
    found = state()
    assert found.ended(run(GOOD), 10.0) == ""
    row = found.row(12.0)
    assert (row["ok"], row["failed_step"], row["age_seconds"]) == (True, None, 2.0)
    assert found.figures(12.0)["produce_ms"] == 4.5
    assert found.figures(12.0)["consume_ms"] is None


def test_a_failure_names_the_step_and_where_it_hurts() -> None:
    found = state()
    said = found.ended(run(BAD, NOT_RUN), 10.0)
    assert said == "the probe p fails: produce at orders-0 on broker 1: 1 of 3 in sync"
    row = found.row(12.0)
    assert (row["ok"], row["failed_step"], row["where"], row["reason"], row["failed"]) == (
        False, "produce", "orders-0 on broker 1", "1 of 3 in sync", 1,
    )  # fmt: skip
    assert found.figures(12.0)["produce_ms"] is None  # not how long it takes when it works


def test_the_timeline_hears_of_changes_alone() -> None:
    found = state()
    lines = [found.ended(run(one), at) for at, one in enumerate((GOOD, BAD, BAD, GOOD, GOOD))]
    assert [bool(line) for line in lines] == [False, True, False, True, False]
    assert lines[3] == "the probe p goes well again"


def test_availability_is_that_of_the_last_hour() -> None:
    found = state()
    for at in range(3):
        found.ended(run(BAD), float(at))
    assert found.availability(2.0) == 0
    for at in range(3):
        found.ended(run(GOOD), HOUR + 1 + at)
    assert found.availability(HOUR + 3) == 100
    assert found.availability(3 * HOUR) is None


def test_a_run_that_hangs_is_a_failure_of_the_step_it_hangs_in() -> None:
    found = state()
    found.ended(run(GOOD), 0.0)
    found.begun(10.0)
    found.at_step("consume")
    assert found.is_ok(20.0) is True
    row = found.row(75.0)
    assert (row["ok"], row["failed_step"], row["reason"]) == (False, "consume", "hangs since 65 s")


def test_a_probe_that_is_not_run_any_more_is_not_known() -> None:
    found = state()
    found.ended(run(GOOD), 0.0)
    assert found.is_ok(170.0) is True
    assert found.is_ok(190.0) is None


def test_rules_of_alerts_know_all_steps() -> None:
    assert STEP_FACTS == PROBE_STEPS == tuple(f"{step.name}_ms" for step in STEPS)
