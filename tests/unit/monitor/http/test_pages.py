"""The pages, as a browser gets them: what is broken, who suffers, tables that are searched and
sorted; no name becomes markup, no page needs a script."""

from __future__ import annotations

import re
from array import array
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from pykafka_ops.analysis.commits.burrow import Commit
from pykafka_ops.client.log_dirs import LogDirDescription
from pykafka_ops.monitor.cluster.answers import NotAsked
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.cluster.watcher import now_ms
from pykafka_ops.monitor.history.model import SeriesKey
from pykafka_ops.monitor.history.store import History
from pykafka_ops.monitor.http.app import make_app
from pykafka_ops.monitor.http.doors import all_routes
from pykafka_ops.monitor.service import Service
from tests.support.monitor.rounds import answers

HOSTILE = "<script>alert(1)</script>\"'&\u202e/../" + "x" * 3000


@pytest.fixture
def watched() -> WatchedCluster:
    return WatchedCluster("local")


@pytest.fixture
def client(watched: WatchedCluster) -> TestClient:
    return TestClient(make_app(Service({"local": watched}), all_routes()))


def page(client: TestClient, path: str, status: int = 200) -> str:
    answer = client.get(path)
    assert answer.status_code == status, answer.text[:300]
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    return answer.text


def words(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html))


def test_the_front_leads_to_the_only_cluster_or_names_all(watched: WatchedCluster) -> None:
    alone = TestClient(make_app(Service({"local": watched}), all_routes()))
    assert alone.get("/", follow_redirects=False).headers["location"] == "/c/local"
    both = Service({"local": watched, "a/b": WatchedCluster("a/b")})
    html = TestClient(make_app(both, all_routes())).get("/").text
    assert 'href="/c/local"' in html
    assert 'href="/c/a%2Fb"' in html
    assert html.count("nothing is known yet") == 2


def test_before_the_first_answer_nothing_is_well(client: TestClient) -> None:
    said = words(page(client, "/c/local"))
    assert "nothing is known yet" in said
    assert "all is well" not in said
    assert "not known: no broker listed its groups" in said
    assert "What is broken not known yet" in said
    assert "Groups are not known" in words(page(client, "/c/local/groups"))
    assert "Topics are not known" in words(page(client, "/c/local/topics"))


def test_what_is_broken_and_who_suffers_is_on_the_first_page(
    watched: WatchedCluster, client: TestClient
) -> None:
    now = now_ms()
    watched.take(answers(now, 100, commits=[Commit(now, 50)], nodes={}))
    said = words(page(client, "/c/local"))
    assert "1 partition offline; 1 broker gone" in said
    assert "broker 1 is gone (orders)" in said
    assert "Who suffers: 1 of 1 groups" in said
    assert "orders-0 read by billing-1" in said
    assert "pko groups lag" in said


def test_old_answers_are_called_stale_and_never_well(
    watched: WatchedCluster, client: TestClient
) -> None:
    watched.take(answers(now_ms() - 90_000, 100, commits=[Commit(1, 100)]))
    watched.failed(NotAsked("cluster", "SilentError", "b1 is silent"))
    for path in ("/c/local", "/c/local/groups", "/c/local/topics", "/c/local/brokers"):
        said = words(page(client, path))
        assert "STALE, all of this is 1m30s old: b1 is silent" in said
        assert 'class="headline good"' not in page(client, path)


def test_what_could_not_be_asked_is_named(watched: WatchedCluster, client: TestClient) -> None:
    heard = NotAsked("settings of orders", "TOPIC_AUTHORIZATION_FAILED", "not allowed")
    watched.take(answers(now_ms(), 100, not_asked=[heard]))
    assert "nothing that is known" in words(page(client, "/c/local"))
    assert "settings of orders: not allowed [TOPIC_AUTHORIZATION_FAILED]" in words(
        page(client, "/c/local")
    )


def test_groups_and_topics_have_pages_with_their_partitions(
    watched: WatchedCluster, client: TestClient
) -> None:
    watched.take(answers(now_ms(), 100, commits=[Commit(1, 60)]))
    assert 'href="/c/local/groups/billing"' in page(client, "/c/local/groups")
    group = words(page(client, "/c/local/groups/billing"))
    assert " orders 0 UNKNOWN 40 " in group
    assert " billing-1 /10.0.0.7 m-1 1 " in group
    assert 'href="/c/local/topics/orders"' in page(client, "/c/local/topics")
    topic = words(page(client, "/c/local/topics/orders"))
    assert " 0 1 1 1 0 100 " in topic
    assert "this monitor does not ask for it Setting Value" in topic
    assert " retention.ms 3600000 " in topic
    assert "b1:9092" in words(page(client, "/c/local/brokers/1"))
    assert "b1:9092" in words(page(client, "/c/local/brokers"))


def test_commands_can_be_pasted_into_a_shell_whatever_the_name(
    watched: WatchedCluster, client: TestClient
) -> None:
    for name, shown in (
        ("x; touch y #", "pko groups lag --partitions &#x27;x; touch y #&#x27;"),
        ("-rf", "pko groups lag --partitions -- -rf"),
    ):
        watched.take(answers(now_ms(), 100, commits=[Commit(1, 60)], group=name))
        assert shown in page(client, f"/c/local/groups/{quote(name, safe='')}")


def test_what_is_not_known_is_a_dash(watched: WatchedCluster, client: TestClient) -> None:
    watched.take(answers(now_ms(), -1, commits=[Commit(1, 60)]))
    assert " billing UNKNOWN - - - - - - 1 Stable " in words(page(client, "/c/local/groups"))


def test_rows_are_searched_sorted_and_paged(watched: WatchedCluster, client: TestClient) -> None:
    many = answers(now_ms(), 100)
    one = many.described["billing"]
    assert many.listed is not None
    names = [f"group-{n:04}" for n in range(450)]
    many.listed = {n: many.listed["billing"]._replace(id=n) for n in names}
    many.described = {n: one._replace(id=n) for n in names}
    watched.take(many)
    first = page(client, "/c/local/groups?sort=-group")
    assert first.count("<tr>") == 101
    assert first.index("group-0449") < first.index("group-0448")
    assert 'href="?sort=-group&amp;offset=100"' in first
    last = page(client, "/c/local/groups?sort=-group&offset=400")
    assert "401 to 450 of 450" in words(last)
    assert "offset=300" in last
    assert page(client, "/c/local/groups?limit=10000").count("<tr>") == 101
    kept = page(client, "/c/local/groups?search=02&status=!OK&sort=-group")
    assert 'href="?search=02&amp;status=%21OK&amp;sort=-lag"' in kept, "headings keep the filter"
    assert '<input type="hidden" name="status" value="!OK">' in kept, "the filter keeps the rest"
    found = page(client, "/c/local/groups?search=0007")
    assert "1 to 1 of 1" in words(found)
    assert 'value="0007"' in found
    assert "no groups like that" in words(page(client, "/c/local/groups?search=zzz"))


def test_wrong_questions_get_a_page_that_says_so(
    watched: WatchedCluster, client: TestClient
) -> None:
    watched.take(answers(now_ms(), 100))
    assert "There is no cluster x" in page(client, "/c/x", 404)
    assert "There is no group x" in page(client, "/c/local/groups/x", 404)
    assert "There is no topic x" in page(client, "/c/local/topics/x", 404)
    assert "write a whole number" in page(client, "/c/local/groups?offset=-1", 400)
    assert "neither a field" in page(client, "/c/local/groups?colour=red", 400)
    assert client.get("/static/../app.py").status_code == 404


def test_a_name_never_becomes_markup(watched: WatchedCluster, client: TestClient) -> None:
    watched.take(answers(now_ms(), 100, commits=[Commit(1, 60)], group=HOSTILE))
    name = quote(HOSTILE, safe="")
    for path in (
        "/c/local",
        "/c/local/groups",
        f"/c/local/groups/{name}",
        "/c/local/groups?search=" + quote("<script>"),
        f"/c/local/topics/{quote(HOSTILE[:16], safe='')}",
    ):
        html = client.get(path).text
        assert "<script>alert" not in html
        assert "\u202e" not in html
        assert html.count("<script") == 1, path


def test_pages_ask_nobody_else_for_anything(client: TestClient) -> None:
    html = page(client, "/c/local")
    assert re.findall(r'(?:src|href)="((?!/|\?|#|data:)[^"]*)"', html) == []
    for name, kind in (("monitor.css", "text/css"), ("monitor.js", "text/javascript")):
        answer = client.get(f"/static/{name}")
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith(kind)
        assert "http" not in answer.text.replace("http-equiv", "")


def test_the_timeline_is_on_the_first_page(tmp_path: Path, watched: WatchedCluster) -> None:
    history = History(tmp_path / "history.db")
    try:
        watched.take(answers(now_ms(), 100))
        history.note("local", now_ms(), "broker", "2", "broker 2 was up, is down")
        service = Service({"local": watched}, history=history)
        client = TestClient(make_app(service, all_routes()))
        assert "broker 2 was up, is down" in words(page(client, "/c/local"))
    finally:
        history.close()


def test_the_past_of_groups_topics_and_brokers_is_drawn_with_its_gaps(
    tmp_path: Path, watched: WatchedCluster
) -> None:
    history = History(tmp_path / "history.db")
    try:
        now = now_ms()
        for minutes, lag in ((200, 5), (197, 7), (20, 9), (17, 8)):
            at = now - minutes * 60_000
            values = {("group", "billing", "lag"): lag, ("topic", "orders", "rate_in"): lag,
                      ("broker", "1", "free_bytes"): lag << 30}  # fmt: skip
            history.record("local", at, {SeriesKey(*key): v for key, v in values.items()})
        watched.take(answers(now, 100, commits=[Commit(now - 1000, 60), Commit(now, 70)]))
        service = Service({"local": watched}, history=history)
        client = TestClient(make_app(service, all_routes()))
        group = page(client, "/c/local/groups/billing")
        (drawn,) = re.findall(r'<path d="([^"]*)" class="line l-0">', group)
        assert (drawn.count("M"), drawn.count("L")) == (2, 2)
        assert "Nothing is known of the last 6h" in words(group)
        assert "Last commits of orders-0" in words(group)
        assert "70 10 " in words(group)
        for path in ("topics/orders", "brokers/1"):
            assert 'class="line l-' in page(client, f"/c/local/{path}?past=24h"), path
        assert "say 6h, 24h, 7d" in page(client, "/c/local/groups/billing?past=1y", 400)
    finally:
        history.close()


def test_without_a_history_charts_say_so(watched: WatchedCluster, client: TestClient) -> None:
    watched.take(answers(now_ms(), 100, commits=[Commit(1, 60)]))
    for path in ("groups/billing", "topics/orders", "brokers/1"):
        assert "This monitor keeps no history" in words(page(client, f"/c/local/{path}")), path
    assert "There is no broker 7" in page(client, "/c/local/brokers/7", 404)


def test_partitions_of_a_topic_are_shown_100_at_a_time(
    watched: WatchedCluster, client: TestClient
) -> None:
    many = answers(now_ms(), 100)
    one = many.topics["orders"]
    wide = [one.partitions[0]._replace(number=n) for n in range(450)]
    many.topics = {"orders": one._replace(partitions=wide)}
    many.ends = {"orders": array("q", range(450))}
    many.starts = {"orders": array("q", [0] * 450)}
    watched.take(many)
    html = page(client, "/c/local/topics/orders?sort=-end&offset=200")
    assert "201 to 300 of 450" in words(html)
    assert html.index(">249<") < html.index(">248<")


def test_a_disk_that_fills_is_told_by_the_line_through_its_past(
    tmp_path: Path, watched: WatchedCluster
) -> None:
    history = History(tmp_path / "history.db")
    try:
        now, gib = now_ms(), 1 << 30
        for hours in range(48, 0, -1):
            free = {SeriesKey("broker", "1", "free_bytes"): (24 + hours) * gib}
            history.record("local", now - hours * 3_600_000, free)
        disk = LogDirDescription("/d", None, 100 * gib, 24 * gib, [])
        watched.take(answers(now, 100, dirs={1: [disk]}))
        client = TestClient(make_app(Service({"local": watched}, history=history), all_routes()))
        for path in ("/c/local", "/c/local/brokers/1"):
            assert "24 GiB (24 %) free, full in 24 h" in words(page(client, path)), path
    finally:
        history.close()


def test_the_disks_of_a_broker_that_is_down_are_not_known(
    watched: WatchedCluster, client: TestClient
) -> None:
    """Its last answer is no answer, and no other disk makes the tile good."""
    gib = 1 << 30
    disk = LogDirDescription("/d", None, 100 * gib, 60 * gib, [])
    got = answers(now_ms(), 100, dirs={1: [disk], 2: [disk]})
    orders = got.topics["orders"]
    shared = orders.partitions[0]._replace(replicas=[1, 2, 3], isr=[1])
    got.topics = {"orders": orders._replace(partitions=[shared])}
    watched.take(got)
    html = page(client, "/c/local")
    assert "60 % free, growth not known yet; not known of brokers 2, 3" in words(html)
    tile = html[html.rindex("<li", 0, html.index("Disk runway")) :]
    assert tile.startswith('<li class="tile warn">')
    chart = html[html.index("<h2>Disk runway") :]
    assert "not known of brokers 2, 3" in words(chart)
    assert "not known" in words(page(client, "/c/local/brokers/2"))


def test_a_subject_that_changes_again_and_again_is_one_line(
    tmp_path: Path, watched: WatchedCluster
) -> None:
    history = History(tmp_path / "history.db")
    try:
        now = now_ms()
        watched.take(answers(now, 100))
        for n in range(5):
            history.note("local", now - n, "group", "billing", f"group billing step {n}")
        history.note("local", now - 9, "group", "other", "group other is new")
        client = TestClient(make_app(Service({"local": watched}, history=history), all_routes()))
        said = words(page(client, "/c/local"))
        assert "group billing step 0 (and 4 more before)" in said
        assert "step 1" not in said
        assert "group other is new" in said
    finally:
        history.close()
