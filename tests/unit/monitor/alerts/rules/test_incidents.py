"""Which alerts share a message, when it is sent, and to whom."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.monitor.alerts.rules.incidents import LISTED
from pykafka_ops.monitor.alerts.rules.model import AlertKey, Subject
from tests.support.monitor.alert_world import START, AlertWorld, S, group, names, rule, silence


def test_alerts_of_one_rule_within_the_window_are_one_message_and_one_end() -> None:
    world = AlertWorld(rule(), window=30)
    world.round(group("a", 20), group("b", 1))
    world.round(group("a", 20), group("b", 20), after=15)
    (notice,) = world.round(group("a", 20), group("b", 20), after=15)
    assert (notice.phase, notice.total, names(notice.alerts)) == ("open", 2, ["a", "b"])
    assert world.round(group("a", 1), group("b", 20), after=15) == []
    (notice,) = world.round(group("a", 1), group("b", 1), after=15)
    assert (notice.phase, notice.total, names(notice.alerts)) == ("close", 2, ["a", "b"])
    assert notice.incident == world.sent[0][1].incident


def test_what_comes_later_is_told_too_and_ever_less_often() -> None:
    world = AlertWorld(rule(), window=30)
    for n in range(1, 241):
        world.round(*(group(f"g{i}", 20) for i in range(n)), after=15)
    said = [name for _, notice in world.sent for name in names(notice.alerts)]
    assert said == [f"g{i}" for i in range(len(said))]
    assert len(said) > 150
    assert len(world.sent) <= 12


def test_a_broker_that_is_down_is_one_message_whatever_it_takes_with_it() -> None:
    world = AlertWorld(
        rule("broker", "state!=up", "broker"),
        rule("urp", "under_replicated>0", "topic"),
        rule("few", "brokers_missing>0", "cluster"),
        window=30,
    )
    broker = Subject("broker", "3", {"state": "down"})
    cluster = Subject("cluster", "prod", {"brokers_missing": 1})
    topics = [Subject("topic", f"t{i}", {"under_replicated": 2}) for i in range(5000)]
    world.round(broker, cluster, *topics)
    (notice,) = world.round(broker, cluster, *topics, after=30)
    assert (notice.cause, notice.total, len(notice.alerts)) == ("broker 3 is down", 5002, LISTED)
    up = Subject("broker", "3", {"state": "up"})
    fine = [Subject("topic", t.name, {"under_replicated": 0}) for t in topics]
    (notice,) = world.round(up, Subject("cluster", "prod", {"brokers_missing": 0}), *fine, after=15)
    assert (notice.phase, notice.total) == ("close", 5002)


def test_a_cause_that_is_known_joins_what_it_brought_about() -> None:
    world = AlertWorld(rule(), rule("stop", "status=STOP"))
    a = group("a", 20, status="STOP")._replace(cause="disk of broker 1 is full")
    b = group("b", 20, status="STOP")
    said = world.round(a, b)
    assert [(t.cause, t.total) for t in said] == [
        ("disk of broker 1 is full", 2), ("rule late", 1), ("rule stop", 1),
    ]  # fmt: skip


def test_what_is_over_before_it_was_told_is_not_told() -> None:
    world = AlertWorld(rule(), window=30)
    world.round(group(lag=20))
    world.round(group(lag=2), after=15)
    assert world.step(after=60) == []


def test_the_message_goes_out_without_another_round() -> None:
    world = AlertWorld(rule(), window=30)
    world.round(group(lag=20))
    assert world.step(after=29) == []
    assert [n.phase for n in world.step(after=1)] == ["open"]


def test_an_open_alert_is_repeated_as_often_as_its_rule_says() -> None:
    world = AlertWorld(rule(repeat_ms=3_600_000))
    for _ in range(4 * 60 * 3):
        world.round(group(lag=20), after=15)
    assert world.phases() == ["open", "repeat", "repeat"]
    assert len({notice.id for _, notice in world.sent}) == 3


def test_receivers_of_a_rule_get_it_and_others_do_not() -> None:
    world = AlertWorld(rule(notify=("a", "b")), rule("other"), rule("page", notify=()))
    world.round(group(lag=20))
    assert sorted(r for r, _ in world.sent) == [(), ("a", "b"), ("ops",)]


def test_a_rule_may_keep_the_end_to_itself() -> None:
    world = AlertWorld(rule(close=False))
    world.round(group(lag=20))
    assert world.round(group(lag=2), after=15) == []
    assert world.desk.incidents.open == {}


def test_a_silence_keeps_quiet_and_what_still_holds_is_told_behind_it() -> None:
    world = AlertWorld(rule())
    world.desk.silence(silence(START + 600 * S, group="bill.*", rule="late"))
    world.round(group("billing", 20), group("orders", 20))
    assert names(world.sent[0][1].alerts) == ["orders"]
    assert world.round(group("billing", 20), group("orders", 20), after=599) == []
    (notice,) = world.round(group("billing", 20), group("orders", 20), after=1)
    assert names(notice.alerts) == ["billing"]
    assert world.desk.silences == []


def test_what_comes_and_goes_in_a_silence_is_never_told() -> None:
    world = AlertWorld(rule(), silences=[silence(START + 600 * S, cluster="prod")])
    world.round(group(lag=20))
    world.round(group(lag=2), after=60)
    assert world.step(after=600) == []


def test_a_silence_stops_repeats_but_not_the_end_of_what_was_told() -> None:
    world = AlertWorld(rule(repeat_ms=60 * S))
    world.round(group(lag=20))
    world.desk.silence(silence(START + 9000 * S, severity="warning", kind="group"))
    assert world.round(group(lag=20), after=600) == []
    assert [n.phase for n in world.round(group(lag=2), after=15)] == ["close"]


def test_a_silence_within_the_window_holds_the_message_back() -> None:
    world = AlertWorld(rule(), window=30)
    world.round(group(lag=20))
    world.desk.silence(silence(START + 600 * S, rule="late"))
    assert world.round(group(lag=20), after=60) == []
    assert [n.phase for n in world.round(group(lag=20), after=540)] == ["open"]


def test_a_silence_of_topics_says_nothing_about_groups() -> None:
    key = AlertKey("r", "prod", "group", "orders")
    assert not silence(START + S, topic="orders").covers(key, "info", START)
    assert silence(START + S, group="orders").covers(key, "info", START)
    assert not silence(START + S, group="order").covers(key, "info", START)
    assert not silence(START, group="orders").covers(key, "info", START)


def test_who_takes_silence_for_the_end_is_told_again_whatever_else_is_said() -> None:
    world = AlertWorld(rule(notify=("ops", "am")), heartbeats={"am": 60 * S})
    world.round(group(lag=20))
    world.desk.acknowledge(world.desk.firing()[0].id, "ann", "", world.now)
    for _ in range(8):
        world.round(group(lag=20), after=15)
    assert [(r, n.phase) for r, n in world.sent] == [
        (("ops", "am"), "open"), (("am",), "repeat"), (("am",), "repeat"),
    ]  # fmt: skip
    assert world.sent[-1][1].expires == world.now + 240 * S


def test_a_clock_that_is_set_back_holds_no_message() -> None:
    world = AlertWorld(rule(), window=30)
    world.round(group(lag=20))
    assert [n.phase for n in world.step(after=-86_400)] == ["open"]


LAGS = st.sampled_from([None, 0, 20, "gone"])
STEP = st.tuples(
    LAGS, LAGS, st.sampled_from([5, 15, 40, 900]), st.sampled_from(["", "", "stale", "partial"]),
    st.sampled_from(["", "", "", "restart", "silence", "ack"]),
)  # fmt: skip


def play(world: AlertWorld, steps: list[Any]) -> None:
    for lag_a, lag_b, after, how, act in steps:
        if act == "restart":
            world.restart()
        elif act == "silence" and not world.desk.added:
            world.desk.silence(silence(world.now + 120 * S, group="a"))
        elif act == "ack" and world.desk.firing():
            world.desk.acknowledge(world.desk.firing()[0].id, "ann", "", world.now)
        before = {a.id for a in world.desk.firing()}
        subjects = [group(n, g) for n, g in (("a", lag_a), ("b", lag_b)) if g != "gone"]
        more = {"fresh": how != "stale"}
        partial = frozenset({"group"} if how == "partial" else ())
        world.round(*subjects, after=after, partial=partial, **more)
        unknown = how == "stale" or (lag_a is None and lag_b is None)
        if unknown:
            assert before == {a.id for a in world.desk.firing()}, "unknown begins and ends nothing"


@pytest.mark.parametrize("window", [0, 30])
@given(steps=st.lists(STEP, max_size=40))
def test_every_incident_opens_once_then_closes_once_and_nothing_is_lost(
    window: int, steps: list[Any]
) -> None:
    world = AlertWorld(rule(repeat_ms=300 * S), rule("other", "lag>=20"), window=window)
    play(world, steps)
    standing = {a.id for a in world.desk.firing()}
    said = [notice for _, notice in world.sent]
    opened = {i for n in said if n.phase == "open" for i in (a["id"] for a in n.alerts)}
    for _ in range(3):
        world.round(group("a", 20), group("b", 20), after=2400)  # no silence, no window left
    said = [notice for _, notice in world.sent]
    opened |= {i for n in said if n.phase == "open" for i in (a["id"] for a in n.alerts)}
    assert standing <= opened, "each alert that fired was sent"
    for _ in range(2):
        world.round(group("a", 0), group("b", 0), after=2400)
    said = [notice for _, notice in world.sent]
    by_incident: dict[str, list[str]] = {}
    for notice in said:
        by_incident.setdefault(notice.incident, []).append(notice.phase)
    for phases in by_incident.values():
        assert phases[0] == "open"
        assert phases[-1] == "close"
        assert set(phases[1:-1]) <= {"repeat"}
    ids = [a["id"] for n in said if n.phase == "open" for a in n.alerts]
    assert len(ids) == len(set(ids)), "an alert is opened once"
    assert len({n.id for n in said}) == len(said), "no two messages share their key"
    assert not world.desk.firing()
    assert not world.desk.incidents.open
