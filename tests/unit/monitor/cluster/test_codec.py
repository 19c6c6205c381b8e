"""A view that is sent elsewhere is the same view there."""

from __future__ import annotations

from array import array

import msgspec
import pytest

from pykafka_ops.analysis.commits.burrow import Commit
from pykafka_ops.client.log_dirs import LogDirDescription, ReplicaInfo
from pykafka_ops.client.reassignments import Reassignment
from pykafka_ops.errors import KafkaError, WireError
from pykafka_ops.monitor.cluster.answers import NotAsked
from pykafka_ops.monitor.cluster.codec import pack_view, unpack_view
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from tests.support.monitor.rounds import answers

NOW = 1_795_533_682_000
FAILED = LogDirDescription("/b", KafkaError(56, "the disk is gone"), -1, -1, [])


def view_of(**more: object) -> ClusterView:
    watched = WatchedCluster("local")
    replicas = [ReplicaInfo("orders", 0, 4096, 0, False)]
    dirs = {1: [LogDirDescription("/a", None, 1 << 40, 1 << 39, replicas), FAILED]}
    moves = {("orders", 0): Reassignment([1, 2], [2], [1])}
    said = [NotAsked("moves", "TIMED_OUT", "no answer")]
    commits = [Commit(NOW - 1000 * n, 60 - n) for n in range(5, -1, -1)]
    found = {"dirs": dirs, "moves": moves, "not_asked": said, **more}
    return watched.take(answers(NOW, 100, commits=commits, **found))


def test_everything_of_a_view_arrives() -> None:
    view = view_of()
    sent = unpack_view(pack_view(view))
    assert pack_view(sent) == pack_view(view)
    assert sent.groups is not None and view.groups is not None
    assert sent.groups["billing"].row == view.groups["billing"].row
    assert sent.moves == view.moves
    assert sent.facts == view.facts
    assert [type(value) for value in (sent.facts or {}).values()] == [
        type(value) for value in (view.facts or {}).values()
    ]
    assert sent.brokers == view.brokers
    (_, failed), (_, was) = (v.dirs[1] for v in (sent, view) if v.dirs)
    assert (failed.error.code, str(failed.error)) == (56, "the disk is gone")
    assert failed._replace(error=None) == was._replace(error=None)
    assert list(sent.topics["orders"].ends) == [100] if sent.topics else False


def test_what_is_not_known_stays_so() -> None:
    view = ClusterView("local", error=NotAsked("cluster", "SilentError", "b1 is silent"))
    assert pack_view(unpack_view(pack_view(view))) == pack_view(view)
    unknown = view_of(ends={"orders": array("q", [-1])}, listed=None, moves=None)
    sent = unpack_view(pack_view(unknown))
    assert (sent.groups, sent.moves) == (unknown.groups, None)
    assert list((sent.topics or {})["orders"].ends) == [-1]


@pytest.mark.parametrize("data", [b"", b"<html>", b"\x93\x01\x02\x03", b"\xdf\xff\xff\xff\xff"])
def test_what_is_no_view_is_refused(data: bytes) -> None:
    with pytest.raises(WireError, match="no view"):
        unpack_view(data)


def test_a_view_that_is_cut_or_damaged_is_refused_or_read_and_raises_nothing_else() -> None:
    data = pack_view(view_of())
    refused = 0
    for at in range(0, len(data), 3):
        for damaged in (data[:at], data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]):
            try:
                unpack_view(damaged)
            except WireError:
                refused += 1
    assert refused > len(data) // 3


def test_a_view_of_another_release_is_named_as_such() -> None:
    other = msgspec.msgpack.encode({"release": "9.9.9", "view": {}})
    with pytest.raises(WireError, match=r"it is of release 9\.9\.9"):
        unpack_view(other)
