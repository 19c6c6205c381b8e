"""Hanging transactions are looked for once a minute, and not known where nobody says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from pykafka_ops.client.transactions import ActiveProducer
from pykafka_ops.monitor.cluster.answers import NotAsked
from pykafka_ops.monitor.cluster.enquiries import Enquiries, EnquiryReply
from pykafka_ops.monitor.cluster.questions import HeldPartition, OpenTransactions
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.hanging import EVERY_SECONDS, HangingWatch
from pykafka_ops.monitor.wording.transactions import HANGING_MS
from tests.support.monitor.rounds import answers

NOW = 10_000_000_000
PRODUCER = ActiveProducer(9, 0, 3, 5, NOW - HANGING_MS - 1000, 40)
HUNG = OpenTransactions({}, {}, [HeldPartition("orders", 0, 40, 100, [PRODUCER])], (), 0)


class Scripted:
    """Answers as a test says, and counts how often it is asked."""

    def __init__(self, reply: EnquiryReply[OpenTransactions]) -> None:
        self.reply, self.asked = reply, 0

    def ask(self, key: tuple[str, ...], question: Callable[..., Any], wait: float) -> Any:
        self.asked += 1
        return self.reply


def watched(script: Scripted) -> WatchedCluster:
    found = WatchedCluster("c")
    found.enquiries = cast("Enquiries", script)
    found.take(answers(NOW, 100))
    return found


def test_they_are_counted_by_topic_once_a_minute() -> None:
    seconds = [0.0]
    script = Scripted(EnquiryReply(HUNG))
    cluster, watch = watched(script), HangingWatch(lambda: seconds[0])
    for at in (0.0, 1.0, EVERY_SECONDS - 1):
        seconds[0] = at
        assert watch.of(cluster, cluster.view, NOW) == {"orders": 1}
    assert script.asked == 1
    seconds[0] = EVERY_SECONDS + 1
    script.reply = EnquiryReply(HUNG._replace(held=[]))
    assert watch.of(cluster, cluster.view, NOW) == {}
    assert script.asked == 2


def test_an_old_answer_or_one_in_part_tells_nothing() -> None:
    for reply in (
        EnquiryReply(None, "no answer yet"),
        EnquiryReply(HUNG, "no answer yet", 100.0),
        EnquiryReply(HUNG._replace(missing=("broker 2 is silent",))),
        EnquiryReply(HUNG._replace(left_out=1)),
    ):
        cluster = watched(Scripted(reply))
        assert HangingWatch().of(cluster, cluster.view, NOW) is None


def test_a_cluster_that_does_not_answer_is_not_asked() -> None:
    script = Scripted(EnquiryReply(HUNG))
    cluster = watched(script)
    cluster.failed(NotAsked("cluster", "SilentError", "silent"))
    assert HangingWatch().of(cluster, cluster.view, NOW) is None
    assert script.asked == 0
