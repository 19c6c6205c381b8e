"""When alerts begin and end."""

from __future__ import annotations

import pytest

from pykafka_ops.monitor.alerts.rules.model import FIRING, PENDING, PollRound, Subject
from tests.support.monitor.alert_world import AlertWorld, group, rule


def states(world: AlertWorld) -> list[str]:
    return [a.state for a in world.desk.engine.open.values()]


def test_an_alert_fires_once_its_condition_has_held_for_long_enough() -> None:
    world = AlertWorld(rule(for_ms=60_000))
    world.round(group(lag=20))
    assert states(world) == [PENDING]
    world.round(group(lag=20), after=59)
    assert states(world) == [PENDING]
    (notice,) = world.round(group(lag=20), after=1)
    assert states(world) == [FIRING]
    assert notice.phase == "open"
    assert notice.alerts[0]["facts"]["lag"] == 20


def test_a_condition_that_stops_holding_in_time_begins_anew() -> None:
    world = AlertWorld(rule(for_ms=60_000))
    for lag in (20, 20, 5, 20, 20):
        world.round(group(lag=lag), after=30)
    assert states(world) == [PENDING]
    assert world.sent == []


def test_the_end_comes_at_once_or_after_the_calm_that_the_rule_wants() -> None:
    world = AlertWorld(rule(calm_ms=60_000))
    world.round(group(lag=20))
    world.round(group(lag=5), after=15)
    world.round(group(lag=20), after=30)
    world.round(group(lag=5), after=30)
    assert states(world) == [FIRING]
    world.round(group(lag=5), after=60)
    assert states(world) == []
    assert world.phases() == ["open", "close"]
    assert world.desk.engine.past[-1].reason == "the condition does not hold any more"


@pytest.mark.parametrize("lag", [20, 5])
def test_what_is_not_known_neither_begins_nor_ends_an_alert(lag: int) -> None:
    world = AlertWorld(rule())
    world.round(group(lag=None))
    assert states(world) == []
    world.round(group(lag=20))
    for _ in range(5):
        world.round(group(lag=None), after=600, not_asked=("offsets of broker 3: no answer",))
    (alert,) = world.desk.firing()
    assert alert.unknown_since == world.now - 4 * 600_000
    assert alert.unknown_why == "offsets of broker 3: no answer"
    world.round(group(lag=lag), after=15)
    assert alert.unknown_since is None
    assert world.phases() == (["open"] if lag == 20 else ["open", "close"])


def test_a_pending_alert_does_not_fire_while_nobody_knows() -> None:
    world = AlertWorld(rule(for_ms=60_000))
    world.round(group(lag=20))
    world.round(group(lag=None), after=300)
    assert states(world) == [PENDING]
    world.round(group(lag=20), after=15)
    assert states(world) == [FIRING]


def test_a_lag_below_the_truth_begins_an_alert_and_does_not_end_it() -> None:
    world = AlertWorld(rule())
    world.round(group(lag=20, status="LOST"))
    assert states(world) == [FIRING]
    world.round(group(lag=3, status="LOST"), after=15)
    assert states(world) == [FIRING]
    world.round(group(lag=3, status="OK", unknown_partitions=4), after=15)
    assert states(world) == []


def test_a_subject_that_is_gone_ends_its_alert_with_the_reason() -> None:
    world = AlertWorld(rule())
    world.round(group("a", 20), group("b", 1))
    (notice,) = world.round(group("b", 1), after=15)
    assert notice.phase == "close"
    assert notice.alerts[0]["reason"] == "the group is not there any more"


@pytest.mark.parametrize(
    "how", [{"partial": frozenset({"group"})}, {"fresh": False}], ids=["partial", "not fresh"]
)
def test_a_subject_that_could_not_be_asked_for_is_not_gone(how: dict[str, object]) -> None:
    world = AlertWorld(rule())
    world.round(group(lag=20))
    world.round(after=15, **how)
    (alert,) = world.desk.firing()
    assert alert.unknown_since == world.now


def test_another_clusters_round_says_nothing_about_this_one() -> None:
    world = AlertWorld(rule())
    world.round(group(lag=20))
    world.desk.take(PollRound("other", world.now + 5, [group("x", 0)]))
    assert states(world) == [FIRING]
    assert world.desk.firing()[0].unknown_since is None


def test_a_cluster_that_does_not_answer_is_known_although_nothing_else_is() -> None:
    world = AlertWorld(rule("gone", "reachable=false", "cluster"), rule())
    world.round(group(lag=20))
    (notice,) = world.round(after=15, fresh=False)
    assert notice.alerts[0]["key"][0] == "gone"
    (notice,) = world.round(group(lag=20), after=15)
    assert notice.phase == "close"
    assert [a.key.rule for a in world.desk.firing()] == ["late"]


def test_rules_cover_the_names_they_say() -> None:
    world = AlertWorld(rule(names="orders-.*|billing", exclude="orders-test", clusters="pr.*"))
    world.round(*(group(n, 99) for n in ("billing", "billing2", "orders-1", "orders-test")))
    assert [a.key.name for a in world.desk.firing()] == ["billing", "orders-1"]


def test_rules_that_are_gone_end_their_alerts() -> None:
    world = AlertWorld(rule(), rule("other", "lag>15"), rule("narrow"))
    world.round(group(lag=20))
    world.rules = (rule(), rule("narrow", names="x"))
    world.restart()
    world.desk.engine.drop_rules(world.now, ["prod"])
    said = world.step()
    assert sorted(t.alerts[0]["reason"] for t in said) == [
        "the rule narrow is not for this group any more",
        "the rule other is gone",
    ]
    world.desk.engine.drop_rules(world.now, [])
    assert world.step()[0].alerts[0]["reason"] == "cluster prod is not watched any more"


def test_what_flaps_is_told_a_few_times_an_hour() -> None:
    world = AlertWorld(rule())
    for n in range(4 * 60):
        world.round(group(lag=20 * (n % 2)), after=15)
    opened = world.phases().count("open")
    assert 2 <= opened <= 7
    assert world.phases().count("close") <= opened
    for _ in range(4 * 60):
        world.round(group(lag=0), after=15)
    assert world.phases().count("close") == opened


def test_a_clock_that_is_set_back_delays_no_alert() -> None:
    world = AlertWorld(rule(for_ms=60_000))
    world.round(group(lag=20))
    world.round(group(lag=20), after=-7200)
    world.round(group(lag=20), after=60)
    assert states(world) == [FIRING]
    world.round(group(lag=1), after=-7200)
    assert states(world) == []


def test_a_restart_goes_on_where_the_last_life_ended() -> None:
    world = AlertWorld(rule(for_ms=60_000))
    world.round(group("a", 20))
    world.restart()
    world.round(group("a", 20), group("b", 20), after=60)
    world.restart()
    assert world.round(group("a", 20), group("b", 20), after=15) == []
    world.restart()
    (notice,) = world.round(group("a", 2), group("b", 20), after=15)
    assert notice.phase == "close"
    assert [a.key.name for a in world.desk.pending()] == ["b"]
    (notice,) = world.round(group("a", 2), group("b", 20), after=30)
    assert [a.key.name for a in world.desk.firing()] == ["b"]


def test_acknowledged_and_told_to_end() -> None:
    world = AlertWorld(rule(repeat_ms=60_000))
    world.round(group(lag=20))
    (alert,) = world.desk.firing()
    assert world.desk.acknowledge(alert.id, "ann", "on it", world.now).acknowledged == "ann: on it"
    world.restart()
    assert world.round(group(lag=20), after=600) == []
    assert [n.phase for n in world.round(group(lag=2), after=15)] == ["close"]


def test_long_names_and_texts_are_cut_in_messages_only() -> None:
    name = "x" * 32_000
    world = AlertWorld(rule())
    (notice,) = world.round(group(name, 20, held_by_transaction="y" * 32_000))
    assert len(notice.alerts[0]["key"][3]) == 1024
    assert len(notice.alerts[0]["facts"]["held_by_transaction"]) == 1024
    assert world.desk.firing()[0].key.name == name


def test_facts_of_the_cluster_are_those_that_were_given() -> None:
    world = AlertWorld(rule("urp", "under_replicated>0", "cluster"))
    world.round(Subject("cluster", "prod", {"under_replicated": 3}))
    assert world.desk.firing()[0].facts["under_replicated"] == 3


def test_what_never_comes_is_far_away_and_shown_as_never() -> None:
    world = AlertWorld(rule("loss", "loss_in_seconds<3600"), rule("far", "loss_in_seconds>3600"))
    world.round(group(loss_in_seconds=float("inf")))
    (alert,) = world.desk.firing()
    assert (alert.key.rule, alert.facts["loss_in_seconds"]) == ("far", "never")
