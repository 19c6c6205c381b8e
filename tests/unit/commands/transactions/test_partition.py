"""Partitions that do not exist are refused at once, before their leaders are looked for."""

from collections.abc import Callable

import pytest

from tests.support.golden.transcripts import Said
from tests.support.memory.fake_broker import FakeBroker

Fakes = tuple[FakeBroker, ...]
Pko = Callable[..., Said]


@pytest.mark.parametrize(
    "words",
    [
        "describe-producers ordrs 0",
        "describe-producers ordrs 0 --broker 0",
        "abort ordrs 0 --start-offset 5 --yes",
        "find-hanging ordrs",
    ],
)
def test_a_topic_that_is_nearly_there_is_named(filled: Fakes, pko: Pko, words: str) -> None:
    said = pko(f"transactions {words}")
    assert (said.code, said.stderr) == (
        1,
        "pko: there is no topic ordrs (did you mean orders?) [UNKNOWN_TOPIC_OR_PARTITION]\n",
    )


@pytest.mark.parametrize(
    "words",
    ["describe-producers orders 7", "abort orders 7 --start-offset 5", "find-hanging orders -p 7"],
)
def test_a_partition_that_a_topic_does_not_have(filled: Fakes, pko: Pko, words: str) -> None:
    said = pko(f"transactions {words}")
    assert (said.code, said.stderr) == (
        1,
        "pko: topic orders has no partition 7: it has 2, numbered from 0 "
        "[UNKNOWN_TOPIC_OR_PARTITION]\n",
    )
    assert not any(fake.asked("DescribeProducers") for fake in filled)


def test_a_broker_has_one_name_in_each_form(filled: Fakes, pko: Pko) -> None:
    for option in ("--broker", "--broker-id"):
        said = pko(f"transactions find-hanging {option} x")
        assert (said.code, said.stderr) == (2, "pko: --broker x: give a whole number\n")
    tool = f"kafka-transactions --bootstrap-server {filled[0].bootstrap} find-hanging"
    assert "argument --broker-id: could not convert 'x'" in pko(f"{tool} --broker-id x").stderr
    assert "unrecognized arguments: '--broker'" in pko(f"{tool} --broker 0").stderr
