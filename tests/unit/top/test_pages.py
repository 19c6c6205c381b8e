"""What pages say of views made by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pykafka_ops.analysis.cluster_state import Placed
from pykafka_ops.client.reassignments import Reassignment
from pykafka_ops.errors import UsageError
from pykafka_ops.monitor.cluster.answers import NotAsked
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.wording.causes import broken, troubled
from pykafka_ops.monitor.wording.line import BAD, GOOD, NONE, WARN
from pykafka_ops.monitor.wording.verdict import staleness, verdict
from pykafka_ops.top.pages.every import VIEWS, page_of, place_of
from pykafka_ops.top.table import ViewPlace
from tests.support.golden.transcripts import run
from tests.unit.top.made import AT, group, lag_row, seen, view

GONE = [
    Placed("orders", 0, 1, (1, 3), (1,), 1),
    Placed("orders", 1, -1, (3,), (3,), 1),
    Placed("orders", 2, 2, (2, 1), (2,), 2),
]
EVERY = [
    *(ViewPlace(v) for v in VIEWS),
    ViewPlace("broker", "1"),
    ViewPlace("topic", "orders"),
    ViewPlace("group", "billing"),
    ViewPlace("messages", "orders", 0),
    ViewPlace("messages", "orders", 0, 5),
    ViewPlace("record", "orders", 0, 5),
]


def test_a_broker_that_is_gone_is_the_cause_of_what_it_leads_and_holds() -> None:
    causes = {
        (t.topic, t.partition.number): (t.kind, t.cause) for t in troubled(view(partitions=GONE))
    }
    assert causes == {
        ("orders", 1): ("offline", "broker 3 is gone"),
        ("orders", 2): ("under_min_isr", "the replica on broker 1 is behind"),
        ("orders", 0): ("under_replicated", "broker 3 is gone"),
    }
    assert broken(view(partitions=GONE))[0].startswith("1 partition offline, nobody can read")


def test_replicas_that_a_move_adds_are_no_trouble_and_others_say_why() -> None:
    slow = [Placed("orders", 0, 1, (1, 2), (1,), 1)]
    moving = replace(view(partitions=slow), moves={("orders", 0): Reassignment([1, 2], [2], [])})
    assert [t.cause for t in troubled(moving)] == ["a move is under way"]
    page = page_of(seen(moving), ViewPlace("moves"))
    assert page.entries[0].values[-1] is None  # nobody told how much is copied


def test_the_verdict_names_the_worst_first() -> None:
    known = view(
        group("billing", "STOP", 600), group("late", "OK", 5, loss=2400.0), partitions=GONE
    )
    assert verdict(known).text == (
        "1 partition offline; 1 broker gone; 2 partitions under min ISR; "
        "2 partitions under-replicated; 1 group stopped; a group loses records in 40m"
    )


def test_all_is_well_only_where_all_was_answered() -> None:
    known = view(group("billing"))
    assert verdict(known).text == "all is well: 2 brokers, 1 partition, 1 group"
    asked = [NotAsked("groups of broker 2", "TIMED_OUT", "")]
    for doubt in (
        replace(known, not_asked=asked),
        replace(known, groups=None),
        replace(known, groups={"x": group("x", "UNKNOWN", None)}),
        ClusterView("c"),
    ):
        assert "well" not in verdict(doubt).text


def test_a_group_that_only_falls_behind_is_a_warning() -> None:
    slow, lost = group("slow", "WARN", 9), group("soon", "WARN", 9, loss=2400.0)
    assert verdict(view(slow)) == ("1 group falling behind", WARN)
    for worse in (group("x", "STOP", 9), group("x", "LOST", None), lost):
        assert verdict(view(slow, worse)).tone == BAD
    assert verdict(view(slow, partitions=GONE)).tone == BAD


def test_an_old_view_says_so_in_words() -> None:
    known = view()
    assert staleness(known, AT + 5000, 5000) is None
    failed = replace(known, error=NotAsked("cluster", "Silent", "no answer\x1b[2J"))
    line = staleness(failed, AT + 35_000, 5000)
    assert line is not None
    assert line.text == "STALE, all of this is 35s old: no answer�[2J"
    late = staleness(known, AT + 60_000, 5000)
    assert late is not None
    assert late.text.startswith("STALE")
    never = staleness(ClusterView("c", error=NotAsked("cluster", "", "refused")), AT, 5000)
    assert never is not None
    assert never.text == "NO ANSWER: refused"


def test_what_is_old_is_not_told_as_what_is() -> None:
    error = NotAsked("cluster", "Silent", "no answer")
    well = replace(view(group("billing")), error=error)
    assert verdict(well).text.startswith("all was well then")
    assert verdict(well).tone != GOOD
    page = page_of(seen(well), ViewPlace("overview"))
    assert [(line.text, line.tone) for line in page.lines] == [("nothing was broken then", NONE)]
    assert (
        verdict(replace(well, groups={"a": group("a", "STOP", 1)})).text == "then: 1 group stopped"
    )


def test_only_groups_that_suffer_stand_on_the_overview() -> None:
    known = view(group("ok"), group("bad", "STALL", 7), group("soon", "OK", 1, loss=60.0))
    page = page_of(seen(known), ViewPlace("overview"))
    assert [e.key for e in page.entries] == ["bad", "soon"]


@pytest.mark.parametrize("place", EVERY)
def test_every_page_of_a_cluster_that_nobody_knows_is_empty_and_says_nothing_good(
    place: ViewPlace,
) -> None:
    page = page_of(seen(ClusterView("c")), place)
    assert not page.entries
    assert page.empty in ("not known yet", "groups are not known", "asking ...",
                          "not read any more", "it holds no replica", "not known")  # fmt: skip


@pytest.mark.parametrize("place", EVERY)
def test_the_command_of_every_page_is_one(place: ViewPlace) -> None:
    page = page_of(seen(view(group("billing"))), place)
    command, *words = page.command[1:]
    verb = [] if not words or words[0].startswith("-") or command == "consume" else words[:1]
    said = run(command, *verb, "--help")
    assert said.code == 0
    assert all(w in said.stdout for w in page.command if w.startswith("-"))


def test_a_partition_of_a_group_leads_to_the_record_it_reads_next() -> None:
    rows = [lag_row("orders", 0), lag_row("orders", 1)]
    page = page_of(
        seen(view(group("billing", "STALL", 61)), rows=rows), ViewPlace("group", "billing")
    )
    assert page.entries[0].opens == ViewPlace("messages", "orders", 0, 39)
    assert [e.values[-1] for e in page.entries] == ["billing-1 /10.0.0.7", "nobody"]


def test_a_topic_tells_sizes_that_nobody_told_as_unknown() -> None:
    page = page_of(seen(view()), ViewPlace("topics"))
    cells = [c.text(v) for c, v in zip(page.columns, page.entries[0].values, strict=True)]
    assert cells == ["orders", "1", "2", "10", "2.5", "-", "1h", "ok"]


def test_words_lead_to_places() -> None:
    assert place_of("gr") == ViewPlace("groups")
    assert place_of("topic my.topic") == ViewPlace("topic", "my.topic")
    assert place_of("messages orders 3 17") == ViewPlace("messages", "orders", 3, 17)
    for wrong in ("nonsense", "messages orders", "messages orders x", ""):
        with pytest.raises(UsageError):
            place_of(wrong)
