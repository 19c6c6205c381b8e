"""mm2.properties of MirrorMaker 2 in, the same mirror out."""

from __future__ import annotations

import pytest

from pykafka_ops.errors import UsageError
from pykafka_ops.mirror.settings.file import MirrorFile
from pykafka_ops.mirror.settings.mm2 import parse_mm2
from pykafka_ops.settings.properties import parse_properties

BASE = """
clusters = a, b
a.bootstrap.servers = a1:9092
b.bootstrap.servers = b1:9092
a->b.enabled = true
"""


def parsed(text: str) -> MirrorFile:
    return parse_mm2(parse_properties(text), "mm2.properties")


def test_defaults_are_those_of_mirror_maker() -> None:
    (link,) = parsed(BASE).links
    assert link.name == "a->b" and link.replication_factor == 2
    assert link.mm2 and link.offset_syncs == "source" and not link.sync_groups
    assert link.naming == "prefix" and link.exactly_once


def test_settings_of_a_link_win_over_those_of_all() -> None:
    file = parsed(
        BASE
        + "b->a.enabled = true\ntopics = x, y.*\na->b.topics = orders\nreplication.factor=3\n"
        + "b->a.replication.factor = 1\nrefresh.topics.interval.seconds = 5\n"
    )
    assert [link.topics for link in file.links] == [("orders",), ("x", "y.*")]
    assert [link.replication_factor for link in file.links] == [3, 1]
    assert file.links[0].topics_every_ms == 5000


def test_a_link_that_is_not_enabled_is_none() -> None:
    assert len(parsed(BASE + "b->a.topics = x\nb->a.enabled = false\n").links) == 1


def test_identity_and_other_settings_are_understood() -> None:
    (link,) = parsed(
        BASE
        + "replication.policy.class=org.apache.kafka.connect.mirror.IdentityReplicationPolicy\n"
        + "sync.group.offsets.enabled=true\nemit.heartbeats.enabled=false\n"
        + "emit.checkpoints.enabled=false\nemit.offset-syncs.enabled=false\n"
        + "b.exactly.once.source.support=disabled\na.consumer.auto.offset.reset=latest\n"
    ).links
    assert link.naming == "identity" and link.sync_groups and not link.mm2
    assert link.offset_syncs == "off" and not link.exactly_once and link.start == "latest"


def test_logins_are_taken_from_where_they_stand() -> None:
    a, b = parsed(
        BASE
        + "security.protocol=SASL_SSL\na.sasl.mechanism=PLAIN\na.consumer.ssl.keystore.location=k\n"
        + "b.security.protocol=PLAINTEXT\nb.producer.linger.ms=5\n"
    ).clusters
    assert a.settings == {
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "PLAIN",
        "ssl.keystore.location": "k",
    }
    assert b.settings == {"security.protocol": "PLAINTEXT"} and b.bootstrap_server == "b1:9092"


def test_what_means_nothing_here_is_named() -> None:
    (line,) = parsed(BASE + "tasks.max = 10\na->b.offset.lag.max = 0\n").warnings
    assert line == "mm2.properties: means nothing here: tasks.max, a->b.offset.lag.max"


def test_an_unknown_property_far_from_all_is_named() -> None:
    (line,) = parsed(BASE + "zzz.qqq = 10\n").warnings
    assert line == "mm2.properties: not known, ignored: zzz.qqq"


def test_half_of_the_internal_topics_is_told() -> None:
    (line,) = parsed(BASE + "emit.heartbeats.enabled = false\n").warnings
    assert "heartbeats and checkpoints are both written" in line


WRONG = [
    ("", "write clusters = A, B"),
    ("clusters = a, b\n", "no link is enabled: write a->b.enabled = true"),
    (
        BASE.replace("a.bootstrap", "a.bootsrap"),
        "write a.bootstrap.servers = HOST:PORT",
    ),
    (
        BASE + "a->b.topcs = x",
        "mm2.properties: a->b.topcs is not known (did you mean topics?)",
    ),
    (BASE + "replication.factr = 1", "is not known (did you mean replication.factor?)"),
    (BASE + "a->bb.enabled = true", "a->bb.enabled: there is no cluster bb"),
    (BASE + "a->b.replication.factor = x", "a->b.replication.factor = x: a whole number"),
    (BASE + "refresh.topics.interval.seconds = 0", "a number of seconds above 0"),
    (BASE + "a->b.enabled = yes", "a->b.enabled: true or false is expected"),
    (BASE + "topic.filter.class = com.x.Mine", "classes of Java cannot be run here"),
    (BASE + "replication.policy.class = com.x.Mine", "DefaultReplicationPolicy or org.apache"),
]


@pytest.mark.parametrize(("text", "line"), WRONG, ids=[line for _, line in WRONG])
def test_a_wrong_file_is_one_exact_line(text: str, line: str) -> None:
    with pytest.raises(UsageError) as caught:
        parsed(text)
    assert line in str(caught.value) and "\n" not in str(caught.value)
