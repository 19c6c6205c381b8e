"""The pages that are looked at now and then: what brokers say when they are asked, and in words
what they do not say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from starlette.testclient import TestClient

from pykafka_ops.analysis.commits.burrow import Commit
from pykafka_ops.client.log_dirs import LogDirDescription, ReplicaInfo
from pykafka_ops.client.reassignments import Reassignment
from pykafka_ops.client.topics import PartitionDescription
from pykafka_ops.client.transactions import ActiveProducer, TransactionDescription
from pykafka_ops.monitor.alerts.rules.model import PollRound
from pykafka_ops.monitor.alerts.service import AlertService
from pykafka_ops.monitor.alerts.settings.tables import alert_settings
from pykafka_ops.monitor.cluster.enquiries import Enquiries, EnquiryReply
from pykafka_ops.monitor.cluster.questions import AccessRule, HeldPartition, OpenTransactions
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.cluster.watcher import now_ms
from pykafka_ops.monitor.history.model import SeriesKey
from pykafka_ops.monitor.history.store import History
from pykafka_ops.monitor.http.app import make_app
from pykafka_ops.monitor.http.doors import all_routes
from pykafka_ops.monitor.service import Service
from pykafka_ops.monitor.subjects import poll_round
from tests.support.monitor.alert_world import group
from tests.support.monitor.rounds import answers


class Replies(dict[str, EnquiryReply[Any]]):
    """Stands for the questions to a cluster: answers by the first word of their key."""

    def ask(self, key: tuple[str, ...], *_: object) -> EnquiryReply[Any]:
        return self.get(key[0], EnquiryReply(None, "b1 is silent"))


@pytest.fixture
def replies() -> Replies:
    return Replies()


@pytest.fixture
def watched(replies: Replies) -> WatchedCluster:
    made = WatchedCluster("local")
    made.enquiries = cast("Enquiries", replies)
    return made


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    made = History(tmp_path / "history.db")
    yield made
    made.close()


@pytest.fixture
def client(watched: WatchedCluster, history: History) -> TestClient:
    return TestClient(make_app(Service({"local": watched}, history=history), all_routes()))


def words(client: TestClient, path: str, status: int = 200) -> str:
    answer = client.get(f"/c/local{path}")
    assert answer.status_code == status, answer.text[:300]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", answer.text))


def transactions(now: int) -> OpenTransactions:
    one = TransactionDescription(1, 7, 0, "Ongoing", 900_000, now - 300_000, (("orders", 0),))
    held = HeldPartition("orders", 0, 60, 100, [ActiveProducer(7, 0, 3, 5, now, 60)])
    return OpenTransactions({"pay-1": one}, {7: "pay-1"}, [held], (), 0)


def test_the_transaction_that_blocks_is_named_with_the_groups_that_wait(
    watched: WatchedCluster, client: TestClient, replies: Replies
) -> None:
    now = now_ms()
    watched.take(answers(now, 100, commits=[Commit(now, 60)]))
    replies["transactions"] = EnquiryReply(transactions(now))
    assert "Blocked by transactions: 1" in words(client, "")
    said = words(client, "/transactions")
    assert " pay-1 Ongoing 5m" in said
    assert " orders 0 60 100 40 pay-1 billing " in said


def test_unknown_transactions_are_never_none(
    watched: WatchedCluster, client: TestClient, replies: Replies
) -> None:
    watched.take(answers(now_ms(), 100))
    assert "not known: b1 is silent" in words(client, "/transactions")
    assert "Blocked by transactions not known: b1 is silent" in words(client, "")
    partly = transactions(now_ms())._replace(missing=("transactions of broker 2: silent",))
    replies["transactions"] = EnquiryReply(partly)
    assert "transactions of broker 2: silent" in words(client, "/transactions")


def test_moves_say_how_far_they_are_and_how_fast_they_may_go(
    watched: WatchedCluster, client: TestClient, replies: Replies, history: History
) -> None:
    now = now_ms()
    dirs = {b: [LogDirDescription("/d", None, -1, -1, [ReplicaInfo("orders", 0, size, 0, False)])]
            for b, size in ((1, 100 << 20), (2, 40 << 20))}  # fmt: skip
    moves = {("orders", 0): Reassignment([1, 2], [2], [1])}
    key = SeriesKey("cluster", "local", "move_bytes_left")
    history.record("local", now - 60_000, {key: 120 << 20})
    history.record("local", now, {key: 60 << 20})
    watched.take(answers(now, 100, moves=moves, dirs=dirs))
    replies["throttles"] = EnquiryReply({1: {"leader.replication.throttled.rate": "1048576"}})
    said = words(client, "/moves")
    assert " orders 0 1,2 2 1 100.0 MiB 60.0 MiB 40 % " in said
    assert "Done in 1m " in said
    assert "Throttle 1 MiB/s" in said
    watched.take(answers(now, 100, moves=None))
    assert "the controller did not list its moves" in words(client, "/moves")


def test_partitions_that_another_leads_are_named(
    watched: WatchedCluster, client: TestClient
) -> None:
    made = answers(now_ms(), 100)
    away = PartitionDescription(0, 1, 0, [2, 1], [1, 2], [])
    made.topics = {"orders": made.topics["orders"]._replace(partitions=[away])}
    made.nodes = {**made.nodes, 2: made.nodes[1]._replace(id=2)}
    watched.take(made)
    assert " orders 0 1 2 in sync 1,2 " in words(client, "/elections")
    watched.take(answers(now_ms(), 100))
    assert "every partition is led by its preferred replica" in words(client, "/elections")


def test_acls_are_listed_searched_and_told_apart_from_none(
    watched: WatchedCluster, client: TestClient, replies: Replies
) -> None:
    watched.take(answers(now_ms(), 100))
    assert "not known: b1 is silent" in words(client, "/acls")
    replies["acls"] = EnquiryReply(None)
    assert "No authorizer is configured" in words(client, "/acls")
    replies["acls"] = EnquiryReply([])
    assert "there is no rule: only super users get in" in words(client, "/acls")
    rules = [AccessRule("TOPIC", f"t-{n}", "LITERAL", f"User:u{n}", "*", "READ", "ALLOW")
             for n in range(3)]  # fmt: skip
    replies["acls"] = EnquiryReply(rules)
    assert "ACLs: 3" in words(client, "/acls")
    assert " User:u1 ALLOW READ TOPIC t-1 LITERAL * " in words(client, "/acls?search=u1")
    assert "User:u2" not in words(client, "/acls?search=u1")


def test_the_timeline_is_filtered_and_paged(
    watched: WatchedCluster, client: TestClient, history: History
) -> None:
    now = now_ms()
    watched.take(answers(now, 100))
    for n in range(250):
        history.note("local", now - n * 1000, "group", "billing", f"group billing step {n}")
    history.note("local", now - 5, "broker", "2", "broker 2 was up, is down")
    assert "broker 2 was up, is down" in words(client, "/timeline?kind=broker")
    assert "step" not in words(client, "/timeline?kind=broker")
    assert "step 7 " in words(client, "/timeline?search=STEP+7")
    first = client.get("/c/local/timeline?kind=group").text
    assert (first.count("<li><time"), "step 99<" in first, "step 100<" in first) == (
        100, True, False,
    )  # fmt: skip
    (older,) = re.findall(r'href="(\?[^"]*cursor[^"]*)"', first)
    rest = client.get("/c/local/timeline" + older.replace("&amp;", "&")).text
    assert (rest.count("<li><time"), "step 100<" in rest) == (100, True)
    assert "say broker, controller" in words(client, "/timeline?kind=moon", 400)
    assert "is no cursor" in words(client, "/timeline?cursor=x", 400)


def test_the_search_finds_everything_and_says_what_it_did_not_search(
    watched: WatchedCluster, client: TestClient, replies: Replies
) -> None:
    assert "groups: no broker listed them" in words(client, "/search?q=pay")
    now = now_ms()
    watched.take(answers(now, 100, commits=[Commit(now, 60)]))
    assert "transactional ids: no answer yet" in words(client, "/search?q=pay")
    replies["transactions"] = EnquiryReply(transactions(now))
    assert "Transactional ids: 1 pay-1" in words(client, "/search?q=PAY")
    assert "Members: 1 billing-1 /10.0.0.7 in group billing" in words(client, "/search?q=10.0.0")
    assert "Clusters: 1" in words(client, "/search?q=local")
    bounds = (
        "searched, which every round asks for: min.insync.replicas, retention.ms, cleanup.policy."
    )
    assert bounds in words(client, "/search?q=local")
    assert "Nothing of this cluster fits" in words(client, "/search?q=zzz")
    assert "2 characters or more" in words(client, "/search?q=z")
    assert "<script>alert" not in client.get("/c/local/search?q=%3Cscript%3Ealert(1)").text


def test_topics_that_are_on_disks_alone_are_being_deleted(
    watched: WatchedCluster, client: TestClient
) -> None:
    held = [ReplicaInfo("orders", 0, 5, 0, False), ReplicaInfo("gone", 3, 70, 0, False)]
    dirs = {1: [LogDirDescription("/d", None, -1, -1, held)]}
    watched.take(answers(now_ms(), 100, dirs=dirs))
    said = words(client, "/topics")
    assert "Being deleted, or left behind: 1" in said
    assert " gone 1 70 B 1 " in said
    watched.take(answers(now_ms(), 100))
    assert "Being deleted" not in words(client, "/topics")


def test_alerts_of_this_cluster_are_shown_with_what_was(
    tmp_path: Path, watched: WatchedCluster
) -> None:
    rule = {"name": "late", "when": "lag>10", "groups": ".*"}
    settings = alert_settings({"alerts": {"built_in": False}, "alert": [rule]}, "m.toml")
    service = AlertService(settings, str(tmp_path / "alerts.db"), ["local", "prod"])
    try:
        watched.take(answers(now_ms(), 100, commits=[Commit(1, 60)]))
        service.take(poll_round(watched.view, now_ms()))
        service.take(PollRound("prod", now_ms(), [group(lag=50)]))
        service.step()
        made = Service({"local": watched}, alerts=service)
        client = TestClient(make_app(made, all_routes()))
        said = words(client, "/alerts")
        assert "Fire: 1" in said
        assert " late group billing " in said
        assert "Alerts that fire: 1" in words(client, "")
        watched.take(answers(now_ms(), 100, commits=[Commit(2, 100)]))
        service.take(poll_round(watched.view, now_ms()))
        service.step()
        said = words(client, "/alerts")
        assert "Fire: 0" in said
        assert "Were: 1" in said
    finally:
        service.close()


def test_alerts_say_where_there_are_none(watched: WatchedCluster, client: TestClient) -> None:
    watched.take(answers(now_ms(), 100))
    assert "This monitor sends no alerts" in words(client, "/alerts")
