"""``pko get-offsets`` against fake brokers."""

import json
from collections.abc import Callable

from tests.support.golden.transcripts import Said
from tests.support.memory.fake_broker import FakeBroker

Fakes = tuple[FakeBroker, ...]
Pko = Callable[..., Said]


def found(said: Said) -> list[tuple[str, int]]:
    return [(r["topic"], r["partition"]) for r in json.loads(said.stdout)["items"]]


def test_first_and_last_offsets_stand_side_by_side(filled: Fakes, pko: Pko) -> None:
    said = pko("get-offsets orders -t all")
    assert [line.split() for line in said.stdout.splitlines()] == [
        ["TOPIC", "PARTITION", "EARLIEST", "LATEST", "RECORDS"],
        ["orders", "0", "10", "100", "90"],
        ["orders", "1", "10", "100", "90"],
    ]


def test_partitions_are_chosen_by_number_in_any_spelling(filled: Fakes, pko: Pko) -> None:
    for words in ("-p 1", "--partition 1", "--partitions 1", "-p 1 -p 7", "-p 1,7"):
        assert found(pko(f"get-offsets orders {words} -o json")) == [("orders", 1)]
    said = pko("get-offsets orders -p x")
    assert (said.code, said.stderr) == (2, "pko: --partition x: give whole numbers from 0 on\n")


def test_internal_topics_can_be_left_out_in_both_spellings(filled: Fakes, pko: Pko) -> None:
    assert len(found(pko("get-offsets -o json"))) == 3
    for switch in ("--exclude-internal", "--exclude-internal-topics"):
        assert found(pko(f"get-offsets -o json {switch} -e .*")) == [("orders", 0), ("orders", 1)]


def test_names_may_stand_in_one_word_and_are_corrected(filled: Fakes, pko: Pko) -> None:
    said = pko("get-offsets orders,__consumer_offsets,ordrs -o json")
    assert (said.code, len(found(said))) == (1, 3)
    assert "pko: ordrs: there is no topic ordrs (did you mean orders?)" in said.stderr


def test_kafkas_flags_have_kafkas_names(filled: Fakes, pko: Pko) -> None:
    flags = f"kafka-get-offsets --bootstrap-server {filled[0].bootstrap} --topic orders"
    assert pko(f"{flags} --partitions 1").stdout == "orders:1:100\n"
    said = pko(f"{flags} --partition 1")
    assert (said.code, said.stderr) == (
        1,
        "Error occurred: partition is not a recognized option\n",
    )
    said = pko(f"{flags} --partitions 1 --partitions 0")
    assert said.stderr == (
        "Error occurred: Found multiple arguments for option partitions, but you asked for only "
        "one\n"
    )


def test_an_option_of_ours_alone_means_our_form(filled: Fakes, pko: Pko) -> None:
    assert pko("get-offsets --topic orders").stdout == "orders:0:100\norders:1:100\n"
    said = pko("get-offsets --topic orders --partition 1")
    assert [line.split() for line in said.stdout.splitlines()] == [
        ["TOPIC", "PARTITION", "LATEST"],
        ["orders", "1", "100"],
    ]
