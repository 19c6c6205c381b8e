"""``pko mirror offsets``, ``failover``, ``failback`` between two brokers with a running mirror."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pykafka_ops.client.cluster import Cluster
from tests.support.each import each
from tests.support.mirror.hand_mirror import cluster_of, make_topics
from tests.support.mirror.two_sites import (
    consume_numbers,
    kept_of_fives,
    produce_fives,
    produce_numbers,
)
from tests.support.process.broker import BrokerProcess
from tests.support.process.console import pko
from tests.support.process.mirror import MirrorProcess, mirror_file, numbers_in
from tests.support.waiting import wait_for

pytestmark = pytest.mark.slow
BACK = '[[link]]\nfrom = "b"\nto = "a"\nnaming = "identity"\ntopics-every = "500ms"\n'
OUT, HOME = ("--link", "a->b"), ("--link", "b->a")


class Sites(NamedTuple):
    """Two brokers, and the file of a mirror with a link in each direction."""

    a: BrokerProcess
    b: BrokerProcess
    source: Cluster
    target: Cluster
    file: Path
    made: list[MirrorProcess]

    def mirror(self, *words: str) -> MirrorProcess:
        """A running mirror."""
        self.made.append(MirrorProcess(self.file, *words))
        return self.made[-1]

    def pko(self, verb: str, *words: str) -> tuple[int, Any]:
        """Exit code and items of a verb."""
        done = pko("mirror", verb, str(self.file), "-o", "json", *words)
        return done.returncode, json.loads(done.stdout)["items"]


@pytest.fixture
def sites(make_broker: Callable[..., BrokerProcess], tmp_path: Path) -> Iterator[Sites]:
    a, b = make_broker("a").start(), make_broker("b").start()
    lines = 'naming = "identity"', 'groups-every = "500ms"', 'round = "100ms"'
    file = mirror_file(tmp_path / "mirror.toml", a.bootstrap, b.bootstrap, *lines)
    file.write_text(file.read_text() + BACK)
    made = Sites(a, b, cluster_of(a.bootstrap), cluster_of(b.bootstrap), file, [])
    try:
        yield made
    finally:
        for one in made.made:
            one.end(signal.SIGKILL)
        made.source.close()
        made.target.close()


@pytest.fixture
def moving(sites: Sites) -> Sites:
    """With a mirror that is ready for a failover."""
    make_topics(sites.source, orders=1)
    sites.mirror(*OUT)
    drill = *OUT, "--still", "1ms", "--drill"
    wait_for(lambda: sites.pko("failover", *drill)[0] == 0, what="no failed check")
    return sites


def _failed(items: Any) -> list[str]:
    return [check["check"] for check in items[0]["checks"] if check["ok"] is False]


def _arrived(cluster: Cluster, count: int) -> None:
    wait_for(lambda: len(numbers_in(cluster, "orders")) >= count, what=f"{count} records", poll=0.2)


def test_work_moves_and_comes_back_with_every_record_once(sites: Sites) -> None:
    make_topics(sites.source, orders=1)
    produce_numbers(sites.a, 0, 30)
    mirror = sites.mirror(*OUT)
    _arrived(sites.target, 30)
    seen = consume_numbers(sites.a, "orders", 20)

    code, items = sites.pko("failover", *OUT, "--still", "500ms", "--drill")
    assert (code, _failed(items), items[0]["done"]) == (0, [], False)
    code, items = sites.pko("failover", *OUT, "--still", "500ms", "--yes")
    assert (code, items[0]["done"]) == (0, True)
    seen += consume_numbers(sites.b, "orders", 4)
    produce_numbers(sites.b, 30, 10)

    mirror.end()
    code, items = sites.pko("failback", *HOME, "--yes")
    assert (code, _failed(items)) == (0, [])
    sites.mirror(*HOME)
    _arrived(sites.source, 40)
    code, items = sites.pko("failover", *HOME, "--still", "500ms", "--yes")
    assert (code, _failed(items)) == (0, [])
    assert seen + consume_numbers(sites.a, "orders", 16) == list(range(40))
    assert numbers_in(sites.source, "orders") == dict.fromkeys(range(40), 1)


def test_a_consumer_moves_though_the_mirror_was_killed_again_and_again(sites: Sites) -> None:
    make_topics(sites.source, orders=1)
    for first in (0, 30, 60):
        mirror = sites.mirror(*OUT)
        produce_fives(sites.a, first, 30)
        _arrived(sites.target, first // 30 * 20 + 7)
        mirror.end(signal.SIGKILL)
    kept = kept_of_fives(0, 90)
    seen = consume_numbers(sites.a, "orders", 37, commit=34)[:34]
    sites.mirror(*OUT)
    _arrived(sites.target, len(kept))

    def equal() -> bool:
        code, items = sites.pko("offsets", *OUT, "--group", "g")
        return code == 0 and [item["state"] for item in items] == ["equal"]

    wait_for(equal, what="the group at the target", poll=0.2)
    assert seen + consume_numbers(sites.b, "orders", len(kept) - 34) == kept


def test_a_move_that_is_not_ready_ends_with_4_and_changes_nothing(sites: Sites) -> None:
    make_topics(sites.source, orders=1)
    produce_numbers(sites.a, 0, 10)
    mirror = sites.mirror(*OUT)
    _arrived(sites.target, 10)
    mirror.end()
    produce_numbers(sites.a, 10, 5)
    code, items = sites.pko("failover", *OUT, "--still", "1ms", "--yes")
    assert (code, _failed(items), items[0]["done"]) == (4, ["lag"], False)
    done = pko("mirror", "pause", str(sites.file), *HOME)
    assert done.returncode == 0
    code, items = sites.pko("failover", *OUT, "--still", "1ms", "--drill")
    assert [step["step"] for step in items[0]["steps"]] == ["pause", "promote"]


def test_offsets_of_groups_and_single_ones_are_shown(sites: Sites) -> None:
    make_topics(sites.source, orders=1)
    produce_numbers(sites.a, 0, 30)
    consume_numbers(sites.a, "orders", 20)
    sites.mirror(*OUT)
    _arrived(sites.target, 30)

    def row() -> Any:
        code, items = sites.pko("offsets", *OUT, "--group", "g")
        assert code == 0
        return items[0] if items and items[0]["state"] == "equal" else None

    found = wait_for(row, what="the group at the target", poll=0.2)
    assert (found["offset"], found["committed"], found["slack"]) == (20, 20, 0)
    code, items = sites.pko("offsets", *OUT, "--partition", "orders-0", "--offset", "7")
    assert (code, items[0]["target_offset"], items[0]["state"]) == (0, 7, "exact")
    code, items = sites.pko("offsets", *OUT, "--partition", "orders-0", "--offset", "31")
    assert items[0]["state"] == "ahead"


WRONG = (
    (("failover",), "which link? give one with --link; the file has a->b, b->a"),
    (("failover", *OUT, "--still", "1ms"), "add --yes, since there is no terminal"),
    (("offsets", "--offset", "3"), "--partition and --offset go together"),
    (("offsets", "--partition", "x", "--offset", "3"), "write TOPIC-N, such as orders-3"),
    (("takeover", *OUT), "b has no topic mm2-offsets.a.internal"),
)


@each("words, text", WRONG)
def test_what_is_wrong_is_said_in_one_line(
    moving: Sites, words: tuple[str, ...], text: str
) -> None:
    done = pko("mirror", words[0], str(moving.file), *words[1:])
    assert done.returncode in (1, 2)
    said = done.stderr.decode()
    assert text in said
    assert "Traceback" not in said
