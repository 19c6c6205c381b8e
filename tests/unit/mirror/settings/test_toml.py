"""mirror.toml in, values or one exact line out."""

from __future__ import annotations

import pytest

from pykafka_ops.errors import UsageError
from pykafka_ops.mirror.settings.file import MirrorFile
from pykafka_ops.mirror.settings.model import EXCLUDED_TOPICS, LISTEN
from pykafka_ops.mirror.settings.toml import parse_toml

CLUSTERS = '[cluster.a]\nbootstrap-server = "a:9092"\n[cluster.b]\nprofile = "prod"\n'
LINK = '[[link]]\nfrom = "a"\nto = "b"\n'


def parsed(text: str) -> MirrorFile:
    return parse_toml(text.encode(), "m.toml")


def test_the_shortest_file_has_defaults() -> None:
    file = parsed(CLUSTERS + LINK)
    (link,) = file.links
    assert link.name == "a->b"
    assert link.topics == (".*",) and link.exclude_topics == EXCLUDED_TOPICS
    assert link.exactly_once and file.listen == LISTEN
    assert [c.alias for c in file.clusters] == ["a", "b"]


def test_every_kind_of_value_is_read() -> None:
    text = (
        'topics = "orders.*"\nexclude-topics = []\nround = "2s"\nbytes-per-second = "10MB"\n'
        'records-per-second = 7\ntoo-large = "skip"\nsync-acls = false\ntopics-every = "1m"\n'
    )
    (link,) = parsed(CLUSTERS + LINK + text).links
    assert link.topics == ("orders.*",) and link.exclude_topics == ()
    assert (link.round_ms, link.bytes_per_second, link.records_per_second) == (2000, 10**7, 7)
    assert link.too_large == "skip" and not link.sync_acls and link.topics_every_ms == 60_000


def test_both_ways_makes_two_links() -> None:
    file = parsed(CLUSTERS + LINK + 'both-ways = true\ntopics = ["x"]\n')
    assert [link.name for link in file.links] == ["a->b", "b->a"]
    assert file.links[1].topics == ("x",)


def test_an_empty_listen_is_no_http() -> None:
    assert parsed('listen = ""\n' + CLUSTERS + LINK).listen is None


def test_client_settings_are_texts() -> None:
    text = '[cluster.a]\nbootstrap-server = "a:1"\n[cluster.a.settings]\n"request.timeout.ms" = 5\n'
    file = parsed(text + '[cluster.b]\nbootstrap-server = "b:1"\n' + LINK)
    assert file.clusters[0].settings == {"request.timeout.ms": "5"}


WRONG = [
    ("x = 1", "m.toml: x is not known; known: listen, cluster, link"),
    ("[cluster", "m.toml: Expected ']'"),
    ("cluster = 1", "m.toml: write clusters as [cluster.NAME] tables"),
    ("[link]", "m.toml: write each link as a [[link]] table"),
    ("", "m.toml: there is no link: write a [[link]] with from and to"),
    ("[cluster.a]", "m.toml: [cluster.a] needs bootstrap-server or profile"),
    (
        '[cluster.a]\nbootstrap-servers = "x:1"',
        "[cluster.a]: bootstrap-servers is not known (did you mean bootstrap-server?)",
    ),
    (CLUSTERS + "[[link]]\nfrom = 'a'", '[[link]] 1: write from = "CLUSTER" and to = "CLUSTER"'),
    (
        CLUSTERS + LINK + "topcs = []",
        "m.toml: [[link]] 1: topcs is not known (did you mean topics?)",
    ),
    (CLUSTERS + LINK + "topics = ['(']", "[[link]] 1 topics: a regular expression (cannot use"),
    (CLUSTERS + LINK + "topics = 1", "topics: a list of regular expressions is expected"),
    (CLUSTERS + LINK + "round = '1 parsec'", "round: a length of time (500ms"),
    (CLUSTERS + LINK + "naming = 'x'", "naming: one of prefix, identity is expected"),
    (CLUSTERS + LINK + "mm2 = 1", "mm2: true or false is expected"),
    (CLUSTERS + LINK + "replication-factor = -1", "a whole number, 0 or more is expected"),
    (CLUSTERS + LINK + LINK, "link a->b is written twice"),
    (CLUSTERS + "[[link]]\nfrom='a'\nto='a'", "link a->a: a cluster is not mirrored to itself"),
    (CLUSTERS + "[[link]]\nfrom='a'\nto='c'", "link a->c: there is no cluster c; known: a, b"),
    (CLUSTERS + LINK + "separator = '/'", "separator '/' cannot stand in a topic's name"),
    (
        CLUSTERS.replace("cluster.a", 'cluster."a.x"') + LINK.replace('"a"', '"a.x"'),
        "the name a.x has the separator '.' in it",
    ),
    (CLUSTERS.replace("cluster.a", 'cluster."a b"') + LINK, "'a b' is no name for a cluster"),
    (CLUSTERS + LINK + "isolation = 'read_uncommitted'", "needs exactly-once = false"),
]


@pytest.mark.parametrize(("text", "line"), WRONG, ids=[line for _, line in WRONG])
def test_a_wrong_file_is_one_exact_line(text: str, line: str) -> None:
    with pytest.raises(UsageError) as caught:
        parsed(text)
    assert line in str(caught.value) and "\n" not in str(caught.value)
