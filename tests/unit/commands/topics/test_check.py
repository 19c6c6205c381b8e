import json
from collections.abc import Callable

from tests.support.golden.transcripts import Said
from tests.support.memory.fake_broker import FakeBroker

Pko = Callable[..., Said]


def test_check_exits_4_and_names_the_trouble(cluster: FakeBroker, pko: Pko) -> None:
    said = pko("topics check -o json")
    assert said.code == 4
    (row,) = json.loads(said.stdout)["items"]
    assert (row["partition"], row["problems"]) == (
        2,
        ["under-replicated", "unavailable", "under-min-isr"],
    )
    (_, asked) = cluster.peers[0].asked("DescribeConfigs")[0]
    assert asked.resources[0].configuration_keys == ["min.insync.replicas"]


def test_check_of_healthy_topics_is_0_and_says_so(cluster: FakeBroker, pko: Pko) -> None:
    said = pko("topics check __consumer_offsets")
    assert (said.code, said.stdout) == (0, "")
    assert said.stderr == "1 topic, no partition in trouble\n"
