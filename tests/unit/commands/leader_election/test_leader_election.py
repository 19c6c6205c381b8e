"""pko leader-election and kafka-leader-election on fake brokers."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.commands.configs.zookeeper import ConfigTree
from pykafka_ops.commands.leader_election import zookeeper
from pykafka_ops.commands.leader_election.election_file import ElectionFileError, parse
from pykafka_ops.commands.leader_election.kafka_text import in_java_order
from pykafka_ops.wire.messages.elect_leaders import (
    ElectLeadersResponse,
    PartitionResult,
    ReplicaElectionResult,
)
from tests.support.golden.transcripts import Said, run
from tests.support.memory.fake_broker import FakeBroker
from tests.unit.commands.configs.test_zookeeper import FakeKazoo

Pko = Callable[..., Said]
Fakes = tuple[FakeBroker, ...]
TOOL = ("kafka-leader-election", "--bootstrap-server")


def answer(codes: dict[str, list[int]], top: int = 0) -> Callable[[Any], ElectLeadersResponse]:
    """The controller's answer: error codes by topic, in the order of the partitions."""
    results = [
        ReplicaElectionResult(
            topic=topic,
            partition_result=[
                PartitionResult(
                    partition_id=i, error_code=code, error_message="why" if code == 80 else None
                )
                for i, code in enumerate(found)
            ],
        )
        for topic, found in codes.items()
    ]
    return lambda request: ElectLeadersResponse(error_code=top, replica_election_results=results)


def elect(fakes: Fakes, *words: str) -> Said:
    return run(*TOOL, fakes[0].bootstrap, "--election-type", *words)


def test_kafkas_text_tells_who_was_elected_who_leads_already_and_who_failed(fakes: Fakes) -> None:
    fakes[1].on("ElectLeaders", answer({"a": [0, 84, 80]}))
    said = elect(fakes, "preferred", "--all-topic-partitions")
    assert said.stdout == (
        "Successfully completed leader election (PREFERRED) for partitions a-0\n"
        "Valid replica already elected for partitions a-1\n"
        "Error completing leader election (PREFERRED) for partition: a-2: "
        "org.apache.kafka.common.errors.PreferredLeaderNotAvailableException: why\n"
    )
    assert (said.stderr, said.code) == ("1 replica(s) could not be elected\n", 1)
    ((_, request),) = fakes[1].asked("ElectLeaders")
    assert (request.election_type, request.topic_partitions) == (0, None)


def test_nothing_to_do_is_told_by_nothing(fakes: Fakes) -> None:
    fakes[1].on("ElectLeaders", answer({}))
    said = elect(fakes, "UNCLEAN", "--all-topic-partitions")
    assert (said.stdout, said.stderr, said.code) == ("", "", 0)
    assert fakes[1].asked("ElectLeaders")[0][1].election_type == 1


def test_one_partition_and_the_client_settings_of_a_file(fakes: Fakes, tmp_path: Path) -> None:
    config = tmp_path / "client.properties"
    config.write_text("request.timeout.ms=1234\n")
    fakes[1].on("ElectLeaders", answer({"a": [84]}))
    words = ("--topic", "a", "--partition", "0", "--admin.config", str(config))
    assert elect(fakes, "preferred", *words).code == 0
    ((_, request),) = fakes[1].asked("ElectLeaders")
    assert [(t.topic, t.partitions) for t in request.topic_partitions] == [("a", [0])]
    assert request.timeout_ms == 1234


def test_who_may_not_elect_is_told_on_both_streams(fakes: Fakes) -> None:
    fakes[1].on("ElectLeaders", answer({}, top=31))
    said = elect(fakes, "preferred", "--all-topic-partitions")
    text = "Not authorized to perform leader election\n"
    assert (said.stdout, said.stderr, said.code) == (text, text, 1)


def test_a_former_controller_is_not_believed(fakes: Fakes) -> None:
    answers = [answer({}, top=41), answer({"a": [0]})]
    fakes[1].on("ElectLeaders", lambda request: answers.pop(0)(request))
    said = elect(fakes, "preferred", "--all-topic-partitions")
    assert said.stdout.endswith("for partitions a-0\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "--bootstrap-server b:1 --topic a --partition 0",
            "Missing required option(s): election-type",
        ),
        (
            "--election-type preferred --bootstrap-server b:1",
            "One and only one of the following options is required: topic, all-topic-partitions, "
            "path-to-json-file",
        ),
        (
            "--election-type preferred --bootstrap-server b:1 --topic a",
            "Missing required option(s): partition",
        ),
        (
            "--election-type preferred --bootstrap-server b:1 --all-topic-partitions --partition 1",
            "Option partition is only allowed if topic is used",
        ),
        (
            "--election-type random --bootstrap-server b:1 --all-topic-partitions",
            "Cannot parse argument 'random' of option election-type",
        ),
        ("--bogus", "bogus is not a recognized option"),
        (
            "--election-type unclean --zookeeper z:1",
            "--zookeeper knows preferred elections only: use --bootstrap-server for unclean ones",
        ),
    ],
)
def test_wrong_options_are_told_in_kafkas_words(
    words: str, message: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("PKO_BOOTSTRAP_SERVER", raising=False)
    said = run("kafka-leader-election", *words.split())
    assert (said.stdout, said.stderr, said.code) == ("", f"{message}\n", 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "Replica election data is empty"),
        ("", "Replica election data is empty"),
        ("{}", 'Replica election data is missing "partitions" field'),
        ('{"partitions":3}', "Expected JSON array, received 3"),
        ('{"partitions":[{"topic":"a"}]}', "No such field exists: `partition`"),
        (
            '{"partitions":[{"topic":"a","partition":"0"}]}',
            'Expected `Integer` value, received "0"',
        ),
        (
            '{"partitions":[{"topic":"a","partition":0},{"topic":"a","partition":0}]}',
            "Replica election data contains duplicate partitions: [a-0]",
        ),
    ],
)
def test_wrong_files_are_told_in_kafkas_words(text: str, message: str) -> None:
    with pytest.raises(ElectionFileError) as caught:
        parse(text)
    assert str(caught.value).endswith(message)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["partitions", "topic", "partition"]), inner)
    ),
    max_leaves=8,
)


@given(JSON)
def test_any_json_is_read_or_refused(data: object) -> None:
    try:
        found = parse(json.dumps(data))
    except ElectionFileError:
        return
    assert len(set(found)) == len(found)


def test_partitions_come_in_the_order_of_javas_hash_sets() -> None:
    named = "__consumer_offsets-0 odds-4 logins-0 trades-0 odds-1 odds-10 bookings-1 odds-7"
    wanted = [(t, int(n)) for t, _, n in (w.rpartition("-") for w in named.split())]
    assert list(in_java_order(sorted(wanted))) == wanted


# --- verbs


def test_verbs_elect_only_where_another_leads(fakes: Fakes, pko: Pko) -> None:
    fakes[0].topics = {"a": [0, 1], "b": [-1]}
    fakes[1].on("ElectLeaders", answer({"a": [84, 0]}))
    said = pko("leader-election preferred a -o json")
    found = json.loads(said.stdout)
    assert [(i["partition"], i["result"]) for i in found["items"]] == [
        (0, "not needed"), (1, "elected"),
    ]  # fmt: skip
    ((_, request),) = fakes[1].asked("ElectLeaders")
    assert [(t.topic, t.partitions) for t in request.topic_partitions] == [("a", [1])]


def test_a_dry_run_shows_what_would_change(fakes: Fakes, pko: Pko) -> None:
    fakes[0].topics = {"a": [0, 1], "b": [-1]}
    said = pko("leader-election preferred --dry-run -o csv")
    assert [line.split(",")[:3] for line in said.stdout.splitlines()[1:]] == [
        ["a", "1", "1"], ["b", "0", ""],
    ]  # fmt: skip
    assert "nothing was elected" in said.stderr
    assert not fakes[1].asked("ElectLeaders")


def test_what_is_not_there_is_an_error_beside_the_rest(fakes: Fakes, pko: Pko) -> None:
    fakes[0].topics = {"a": [1]}
    fakes[1].on("ElectLeaders", answer({"a": [0]}))
    said = pko("leader-election preferred a:0,7 nope")
    assert said.code == 1
    assert said.stdout.split()[4:] == ["a", "0", "preferred", "elected"]
    assert "pko: nope: there is no topic nope [UNKNOWN_TOPIC_OR_PARTITION]" in said.stderr
    assert "pko: a-7: topic a has no partition 7: it has 1, numbered from 0" in said.stderr


def test_an_unclean_election_is_confirmed_and_only_where_nobody_leads(
    fakes: Fakes, pko: Pko
) -> None:
    fakes[0].topics = {"a": [0, -1]}
    fakes[1].on("ElectLeaders", answer({"a": [0]}))
    assert pko("leader-election unclean").code == 2
    said = pko("leader-election unclean a")
    assert (said.code, "add --yes" in said.stderr) == (2, True)
    assert not fakes[1].asked("ElectLeaders")
    assert pko("leader-election unclean --all-topic-partitions --yes").code == 0
    ((_, request),) = fakes[1].asked("ElectLeaders")
    assert [(t.topic, t.partitions) for t in request.topic_partitions] == [("a", [1])]


def test_list_names_the_partitions_led_by_others(fakes: Fakes, pko: Pko) -> None:
    fakes[0].topics = {"a": [0, 1, -1]}
    items = json.loads(pko("leader-election list -o json").stdout)["items"]
    assert [(i["partition"], i["state"]) for i in items] == [
        (1, "not preferred"), (2, "no leader"),
    ]  # fmt: skip


# --- ZooKeeper


@pytest.fixture
def tree(monkeypatch: pytest.MonkeyPatch) -> FakeKazoo:
    fake = FakeKazoo()
    fake.nodes["/brokers/topics/a"] = b'{"version":3,"partitions":{"0":[1],"1":[2]}}'
    fake.create = lambda path, data, **_: fake.nodes.__setitem__(path, data)  # type: ignore[method-assign]
    monkeypatch.setattr(zookeeper, "opened_tree", lambda ctx: nullcontext(ConfigTree(fake)))
    return fake


def test_the_wish_is_left_as_old_tools_left_it(tree: FakeKazoo, tmp_path: Path) -> None:
    file = tmp_path / "e.json"
    file.write_text('{"partitions":[{"topic":"a","partition":1},{"topic":"x","partition":0}]}')
    said = run("kafka-leader-election", "--zookeeper", "z:1", "--path-to-json-file", str(file))
    assert (said.code, said.stderr) == (0, "")
    assert said.stdout.splitlines()[2:] == [
        "Created preferred replica election path with a-1",
        "Successfully started preferred replica election for partitions Set(a-1)",
        "Skipping preferred replica leader election for partition x-0 since it doesn't exist.",
    ]
    assert json.loads(tree.nodes[zookeeper.PATH]) == {
        "version": 1, "partitions": [{"topic": "a", "partition": 1}],
    }  # fmt: skip


def test_a_wish_for_all_partitions_in_verbs(tree: FakeKazoo) -> None:
    said = run("leader-election", "preferred", "--zookeeper", "z:1", "-o", "csv")
    assert said.stdout.splitlines()[1:] == ["a,0,preferred,asked", "a,1,preferred,asked"]


def test_a_broken_topic_znode_is_told(tree: FakeKazoo) -> None:
    tree.nodes["/brokers/topics/a"] = b"[1"
    said = run("leader-election", "preferred", "a", "--zookeeper", "z:1")
    assert (said.code, said.stdout) == (1, "")
    assert said.stderr == "pko: /brokers/topics/a is not what Kafka writes\n"
