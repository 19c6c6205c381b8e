"""The copier between two real clusters: what arrives, what is told, what goes on by itself."""

from __future__ import annotations

import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.group_offsets import fetch_offsets
from pykafka_ops.client.membership import join, leave
from pykafka_ops.errors import PkoError
from pykafka_ops.mirror.copy.pieces import TargetLimits
from pykafka_ops.mirror.copy.tasks import LoneSeat, note_of
from pykafka_ops.mirror.naming import map_topic
from pykafka_ops.mirror.offsets.records import decode_key, decode_value, map_place
from tests.support.mirror.pair import (
    GROUP,
    MirrorPair,
    config,
    copy_until,
    delete_topic,
    lone,
    make_topic,
    read,
    topic_id,
    values,
    write,
    write_transaction,
)
from tests.support.waiting import wait_for

pytestmark = pytest.mark.slow
MODES = pytest.mark.parametrize("exactly_once", [True, False])


def numbered(start: int, stop: int, size: int = 50) -> list[bytes]:
    return [b"%08d" % n + b"x" * size for n in range(start, stop)]


def runs_of(pair: MirrorPair, topic: str) -> list[tuple[int, int, int]]:
    """Of the map's topic, those of partition 0."""
    found = []
    for message in read(pair.target, map_topic("a"), map_place((topic, 0))):
        key = decode_key(message.key())
        if (key.topic, key.partition) == (topic, 0):
            found += decode_value(key, message.value() or b"")
    return sorted(tuple(run) for run in found)


@MODES
@pytest.mark.parametrize("codec", ["none", "zstd"])
def test_everything_committed_arrives_once_and_the_map_says_where(
    pair: MirrorPair, exactly_once: bool, codec: str
) -> None:
    topic = f"all-{codec}-{int(exactly_once)}"
    make_topic(pair.source, topic)
    make_topic(pair.target, f"a.{topic}")
    write(pair.source, topic, numbered(0, 3000), **{"compression.type": codec})
    write_transaction(pair.source, topic, numbered(3000, 3100), commit=True)
    write_transaction(pair.source, topic, numbered(9000, 9100), commit=False)
    write(pair.source, topic, numbered(3100, 3110))
    copier = pair.copier(pair.link(exactly_once=exactly_once))
    copier.assign(pair.tasks(topic), lone(4))
    copy_until(copier, {(topic, 0): 3212})
    assert values(pair.target, f"a.{topic}") == numbered(0, 3110)
    sent = {m.offset(): m for m in read(pair.source, topic)}
    arrived = {m.offset(): m for m in read(pair.target, f"a.{topic}")}
    mapped = {s + n: t + n for s, t, count in runs_of(pair, f"a.{topic}") for n in range(count)}
    assert mapped.keys() == sent.keys() and set(mapped.values()) == arrived.keys()
    for offset, message in sent.items():
        copy = arrived[mapped[offset]]
        assert (copy.key(), copy.value()) == (message.key(), message.value())
        assert copy.timestamp() == message.timestamp()
    progress = copier.progress()[topic, 0]
    assert (progress.lag, progress.records, progress.trouble) == (0, 3110, None)
    copier.close()


@MODES
def test_another_process_goes_on_where_the_first_ended(
    pair: MirrorPair, exactly_once: bool
) -> None:
    topic = f"on-{int(exactly_once)}"
    make_topic(pair.source, topic, 2)
    make_topic(pair.target, f"a.{topic}", 2)
    link = pair.link(exactly_once=exactly_once)
    for life in range(3):
        for n in range(2):
            write(pair.source, topic, numbered(life * 700, life * 700 + 700), partition=n)
        copier = pair.copier(link)
        copier.assign(pair.tasks(topic, 2), lone(5 + life))
        copy_until(copier, {(topic, n): life * 700 + 700 for n in range(2)})
        copier.close()
    for n in range(2):
        assert values(pair.target, f"a.{topic}", n) == numbered(0, 2100)
    cluster = Cluster(config(pair.target))
    found = fetch_offsets(cluster, [GROUP])[GROUP]
    assert not isinstance(found, PkoError)
    position = found[f"a.{topic}", 0]
    assert not isinstance(position, PkoError)
    assert (position.offset, note_of(position).topic_id) == (2100, topic_id(pair.source, topic))
    cluster.close()


@MODES
def test_what_is_missing_at_the_target_stops_nothing_else(
    pair: MirrorPair, exactly_once: bool
) -> None:
    good, bad = f"good-{int(exactly_once)}", f"bad-{int(exactly_once)}"
    for topic in (good, bad):
        make_topic(pair.source, topic)
        write(pair.source, topic, numbered(0, 100))
    make_topic(pair.target, f"a.{good}")
    copier = pair.copier(pair.link(exactly_once=exactly_once))
    copier.assign({**pair.tasks(good), **pair.tasks(bad)}, lone(9))
    copy_until(copier, {(good, 0): 100})

    def told() -> bool:
        copier.round()
        return "target refuses" in (copier.progress()[bad, 0].trouble or "")

    wait_for(told, what="trouble", about=copier.progress())
    make_topic(pair.target, f"a.{bad}")
    copy_until(copier, {(bad, 0): 100})
    assert copier.progress()[bad, 0].trouble is None
    assert values(pair.target, f"a.{bad}") == numbered(0, 100)
    copier.close()


@MODES
def test_a_record_too_large_for_the_target_stops_or_is_skipped(
    pair: MirrorPair, exactly_once: bool
) -> None:
    topic = f"large-{int(exactly_once)}"
    make_topic(pair.source, topic)
    make_topic(pair.target, f"a.{topic}", settings={"max.message.bytes": "20000"})
    write(pair.source, topic, [b"first", b"L" * 50_000, b"last"])
    limits = TargetLimits(max_bytes=20_000)
    copier = pair.copier(pair.link(exactly_once=exactly_once))
    copier.assign(pair.tasks(topic, limits=limits), lone(10))
    copy_until(copier, {(topic, 0): 1})
    wait_for(
        lambda: (
            copier.round() and "offset 1 takes 50" in (copier.progress()[topic, 0].trouble or "")
        ),
        what="trouble",
    )
    copier.close()
    copier = pair.copier(pair.link(exactly_once=exactly_once, too_large="skip"))
    copier.assign(pair.tasks(topic, limits=limits), lone(10))
    copy_until(copier, {(topic, 0): 3})
    assert values(pair.target, f"a.{topic}") == [b"first", b"last"]
    assert copier.progress()[topic, 0].skipped == 1
    copier.close()


@MODES
def test_what_the_target_refuses_without_being_known_to_stops_that_partition(
    pair: MirrorPair, exactly_once: bool
) -> None:
    topic, good = f"refused-{int(exactly_once)}", f"taken-{int(exactly_once)}"
    for name in (topic, good):
        make_topic(pair.source, name)
        write(pair.source, name, numbered(0, 10, 30_000))
    make_topic(pair.target, f"a.{topic}", settings={"max.message.bytes": "20000"})
    make_topic(pair.target, f"a.{good}")
    copier = pair.copier(pair.link(exactly_once=exactly_once))
    copier.assign({**pair.tasks(topic), **pair.tasks(good)}, lone(11))
    copy_until(copier, {(good, 0): 10})
    assert "MESSAGE_TOO_LARGE" in (copier.progress()[topic, 0].trouble or "")
    assert copier.progress()[topic, 0].position == 0
    assert values(pair.target, f"a.{good}") == numbered(0, 10, 30_000)
    copier.close()


@MODES
def test_deleted_offsets_are_told_and_the_rest_arrives(
    pair: MirrorPair, exactly_once: bool
) -> None:
    topic = f"gone-{int(exactly_once)}"
    make_topic(pair.source, topic)
    make_topic(pair.target, f"a.{topic}")
    write(pair.source, topic, numbered(0, 10))
    copier = pair.copier(pair.link(exactly_once=exactly_once))
    copier.assign(pair.tasks(topic), lone(12))
    copy_until(copier, {(topic, 0): 10})
    copier.close()
    write(pair.source, topic, numbered(10, 500))
    admin = AdminClient({"bootstrap.servers": pair.source})
    for future in admin.delete_records([TopicPartition(topic, 0, 400)]).values():
        future.result(120)
    copier = pair.copier(pair.link(exactly_once=exactly_once))
    copier.assign(pair.tasks(topic), lone(12))
    copy_until(copier, {(topic, 0): 500})
    progress = copier.progress()[topic, 0]
    assert progress.lost == 390
    assert progress.note == "the source deleted offsets 10 to 399 before they were copied"
    assert values(pair.target, f"a.{topic}") == numbered(0, 10) + numbered(400, 500)
    copier.close()


def test_a_topic_made_anew_is_told_and_copied_from_its_beginning_once_it_is_assigned(
    pair: MirrorPair,
) -> None:
    make_topic(pair.source, "anew")
    make_topic(pair.target, "a.anew")
    write(pair.source, "anew", numbered(0, 50))
    copier = pair.copier()
    copier.assign(pair.tasks("anew"), lone(13))
    copy_until(copier, {("anew", 0): 50})
    delete_topic(pair.source, "anew")
    make_topic(pair.source, "anew")
    write(pair.source, "anew", numbered(100, 130))
    wait_for(
        lambda: copier.round() and "made anew" in (copier.progress()["anew", 0].trouble or ""),
        what="trouble",
        about=copier.progress(),
    )
    assert values(pair.target, "a.anew") == numbered(0, 50)
    copier.assign(pair.tasks("anew"), lone(13))
    wait_for(lambda: copier.round().records == 30, what="the new topic")
    assert values(pair.target, "a.anew") == numbered(0, 50) + numbered(100, 130)
    copier.close()


@MODES
def test_who_is_no_member_any_more_commits_nothing(pair: MirrorPair, exactly_once: bool) -> None:
    topic, group = f"fenced-{int(exactly_once)}", f"{GROUP}.fenced-{int(exactly_once)}"
    make_topic(pair.source, topic)
    make_topic(pair.target, f"a.{topic}")
    write(pair.source, topic, numbered(0, 50))
    cluster = Cluster(config(pair.target))
    member = join(cluster, group, [topic])
    copier = pair.copier(pair.link(exactly_once=exactly_once))
    copier.assign(pair.tasks(topic), LoneSeat(group, member.member_id, member.generation + 1))
    assert (
        wait_for(
            lambda: (result := copier.round()).state != "idle" and result, what="a round"
        ).state
        == "fenced"
    )
    if exactly_once:
        assert values(pair.target, f"a.{topic}") == []
    leave(cluster, member)
    cluster.close()
    copier.close()


def test_uncommitted_reading_passes_aborted_records_on(pair: MirrorPair) -> None:
    make_topic(pair.source, "dirty")
    make_topic(pair.target, "a.dirty")
    write_transaction(pair.source, "dirty", numbered(0, 10), commit=False)
    copier = pair.copier(pair.link(exactly_once=False, isolation="read_uncommitted"))
    copier.assign(pair.tasks("dirty"), lone(14))
    copy_until(copier, {("dirty", 0): 11})
    assert values(pair.target, "a.dirty") == numbered(0, 10)
    copier.close()


def test_small_records_of_many_batches_arrive_in_few(pair: MirrorPair) -> None:
    make_topic(pair.source, "tiny")
    make_topic(pair.target, "a.tiny")
    write(pair.source, "tiny", numbered(0, 2000), **{"batch.num.messages": 1})
    copier = pair.copier()
    copier.assign(pair.tasks("tiny"), lone(15))
    copy_until(copier, {("tiny", 0): 2000})
    assert values(pair.target, "a.tiny") == numbered(0, 2000)
    copier.close()


@MODES
def test_a_partition_taken_away_and_given_back_goes_on_in_the_next_round(
    pair: MirrorPair, exactly_once: bool
) -> None:
    topic = f"back-{int(exactly_once)}"
    make_topic(pair.source, topic, 2)
    make_topic(pair.target, f"a.{topic}", 2)
    copier = pair.copier(pair.link(exactly_once=exactly_once))
    tasks = pair.tasks(topic, 2)
    seat = lone(16)
    for turn in range(3):
        for n in range(2):
            write(pair.source, topic, numbered(turn * 10, turn * 10 + 10), partition=n)
        copier.assign(tasks, seat)
        results = copy_until(copier, {(topic, n): turn * 10 + 10 for n in range(2)})
        assert {result.trouble for result in results} == {None}
        copier.assign({(topic, 0): tasks[topic, 0]}, seat)
    for n in range(2):
        assert values(pair.target, f"a.{topic}", n) == numbered(0, 30)
    copier.close()
