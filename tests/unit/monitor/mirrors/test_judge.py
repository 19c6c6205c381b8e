"""How far a link is, from what both clusters said: lag, states, what nobody knows."""

from __future__ import annotations

from pykafka_ops.mirror.control.state import (
    PROMOTED,
    ControlState,
    MirrorPause,
    TopicOrigin,
    origin_entry,
    pause_entry,
)
from pykafka_ops.mirror.report.rows import BEHIND, IDLE, LOST, NEW, OK, PAUSED, UNKNOWN
from pykafka_ops.monitor.cluster.answers import NotAsked
from pykafka_ops.monitor.cluster.links import MM2, STALLED
from pykafka_ops.monitor.mirrors.found import (
    LinkFound,
    link_of_group,
    source_name,
    sources_named,
)
from pykafka_ops.monitor.mirrors.judge import LinkJudge
from tests.support.monitor.mirrored import MEMBER, MirroredPair, control, link, site

SECOND = 1000


def test_lag_is_told_in_records_bytes_and_seconds_with_when_it_is_caught_up() -> None:
    pair = MirroredPair()
    pair.round(10 * SECOND, 100, link(100))
    pair.round(20 * SECOND, 200, link(110))
    found = pair.round(30 * SECOND, 200, link(150))
    assert (found.state, found.lag, found.lag_bytes) == (BEHIND, 50, 250)
    assert found.lag_seconds == 15  # 150 of 100..200 came halfway between 10 and 20 s
    assert (found.copied_per_second, found.added_per_second) == (2.5, 5.0)
    assert found.eta_seconds is None  # at this pace it never catches up
    found = pair.round(40 * SECOND, 200, link(190))
    assert (found.copied_per_second, found.added_per_second) == (3.0, 3.3)
    found = pair.round(50 * SECOND, 200, link(200))
    assert (found.state, found.lag, found.lag_seconds, found.eta_seconds) == (OK, 0, 0, 0)
    assert (found.processes, found.members) == (1, ["pko-mirror /10.0.0.7"])
    assert (found.source_cluster, found.worst, found.troubles) == ("us", None, [])


def test_records_that_came_after_the_targets_round_are_no_lag() -> None:
    pair = MirroredPair()
    pair.round(10 * SECOND, 100, link(100))
    pair.us.take(site(20 * SECOND, {"orders": [200]}, "us-id", stable={"orders": [200]}))
    pair.eu.take(site(15 * SECOND, {"us.orders": [0]}, "eu-id"))
    found, _ = pair.judge.judge(link(150), pair.eu.view, pair.us, {})
    assert found.lag == 0


def test_the_age_of_old_records_is_read_and_what_lies_between_follows() -> None:
    pair = MirroredPair()
    assert pair.round(100 * SECOND, 1000, link(200)).lag_seconds is None
    assert pair.us.copied.times_wanted() == [(("orders", 0), 200)]
    pair.us.copied.learn({(("orders", 0), 200): 20 * SECOND}, [(("orders", 0), 200)])
    assert pair.round(110 * SECOND, 1000, link(200)).lag_seconds == 90
    assert pair.round(120 * SECOND, 1000, link(600)).lag_seconds == 60


def test_who_copies_nothing_has_no_process_and_a_pause_is_none() -> None:
    pair = MirroredPair()
    assert pair.round(SECOND, 9, link(5, members=[])).state == IDLE
    paused = link(5, pause_entry(MirrorPause(), 1, by="me"), members=[])
    found = pair.round(2 * SECOND, 9, paused)
    assert (found.state, found.pauses) == (PAUSED, ["the link"])
    assert pair.round(3 * SECOND, 9, link(5, members=None)).processes is None


def test_while_work_is_shared_anew_nobody_is_missed() -> None:
    pair = MirroredPair()
    nothing = MEMBER._replace(assigned=())
    assert pair.round(SECOND, 9, link(5, members=[nothing])).state == IDLE
    assert pair.round(2 * SECOND, 9, link(5, members=[nothing], is_sharing=True)).state == BEHIND
    assert pair.round(3 * SECOND, 9, link(members=[nothing])).state == NEW
    assert pair.round(4 * SECOND, 9, link(5, members=[], is_sharing=True)).state == IDLE


def test_records_that_the_source_deleted_unread_are_a_gap() -> None:
    found = MirroredPair().round(SECOND, 90, link(5), start=7)
    assert (found.state, found.counts, found.worst) == (LOST, {LOST: 1}, "orders-0")


def test_a_position_that_stands_while_records_wait_is_told_after_a_minute() -> None:
    pair = MirroredPair()
    states = [pair.round(n * 15 * SECOND, 100 + n, link(50)).state for n in range(6)]
    assert states == [BEHIND] * 4 + [STALLED] * 2
    found = pair.round(90 * SECOND, 120, link(60))
    assert (found.state, found.stalled_seconds) == (BEHIND, None)
    assert found.since == 90 * SECOND


def test_of_a_source_that_nobody_watches_the_lag_is_not_known() -> None:
    pair = MirroredPair()
    pair.eu.take(site(SECOND, {"us.orders": [9]}, "eu-id"))
    found, rows = pair.judge.judge(link(5), pair.eu.view, None, {})
    assert (found.state, found.lag, found.lag_seconds, found.eta_seconds) == (UNKNOWN, *[None] * 3)
    assert [(row.topic, row.position) for row in rows] == [("orders", 5)]
    assert found.troubles == ["this monitor does not watch the source: the lag is not known"]


def test_of_a_source_that_does_not_answer_the_lag_is_not_known() -> None:
    pair = MirroredPair()
    pair.round(SECOND, 9, link(9))
    pair.us.failed(NotAsked("cluster", "SilentError", "no answer"))
    found, _ = pair.judge.judge(link(9), pair.eu.view, pair.us, {})
    assert (found.state, found.lag) == (UNKNOWN, None)
    assert found.troubles == ["the source does not answer: no answer"]


def test_what_was_never_copied_has_no_lag_but_where_nothing_is_there() -> None:
    pair = MirroredPair()
    found = pair.round(SECOND, 9, link())
    assert (found.state, found.lag) == (NEW, None)
    assert pair.round(2 * SECOND, 0, link()).state == OK


def test_a_link_whose_topics_were_all_given_away_is_over() -> None:
    given = control(origin_entry("us.orders", TopicOrigin(PROMOTED)))
    assert link(5, members=[], control=given).is_over
    assert not link(5, members=None, control=given).is_over
    assert not link(5, members=[]).is_over
    assert not link(5, members=[], control=ControlState(), troubles=["denied"]).is_over


def test_a_topic_that_the_source_has_no_more_is_left_out() -> None:
    pair = MirroredPair()
    pair.us.take(site(SECOND, {"others": [9]}, "us-id"))
    pair.eu.take(site(SECOND, {"us.orders": [9]}, "eu-id"))
    assert pair.judge.judge(link(5), pair.eu.view, pair.us, {})[1] == []


def test_mirror_maker_is_known_by_its_heartbeats_and_positions() -> None:
    pair = MirroredPair()
    beat = {"kind": MM2, "source": "us", "target": "eu", "positions": {("orders", 0): 5}}
    pair.round(100 * SECOND, 9, link(5))
    for age, state in ((1, BEHIND), (61, IDLE)):
        made = LinkFound(**beat, copied_beat_ms=(100 - age) * SECOND)  # type: ignore[arg-type]
        found, rows = LinkJudge().judge(made, pair.eu.view, pair.us, {})
        assert (found.state, found.lag, found.heartbeat_seconds) == (state, 4, age)
        assert (rows[0].target_topic, found.processes) == ("us.orders", None)
    silent = LinkFound(**beat)  # type: ignore[arg-type]
    assert LinkJudge().judge(silent, pair.eu.view, pair.us, {})[0].state == BEHIND


def test_names_say_which_link_it_is() -> None:
    assert sources_named(["pko-mirror.a-b.control.internal", "x", "pko-mirror..control.internal"],
                         "pko-mirror.\0.control.internal") == ["a-b"]  # fmt: skip
    assert link_of_group("pko-mirror.a-b-c", ["a", "a-b"]) == ("a-b", "c")
    assert link_of_group("pko-mirror.a-b", []) == ("a", "b")
    assert source_name("us.orders", "us", {"orders"}) == "orders"
    assert source_name("us.orders", "us", {"us.orders"}) == "us.orders"
    assert source_name("orders", "us", {"x"}) is None
    assert [source_name(name, "us", None) for name in ("us_orders", "orders")] == ["orders"] * 2
