"""Options of the sources: what they mean, and what is said about wrong ones."""

from __future__ import annotations

import pytest

from pykafka_ops.errors import UsageError
from pykafka_ops.spark.sources.live.tables import HOUR, moments_of
from pykafka_ops.spark.sources.options import SourceOptions, by_partition


def test_names_of_options_have_no_case() -> None:
    options = SourceOptions({"startingOffsets": "earliest", "KAFKA.client.id": "me"})
    assert options.text("STARTINGOFFSETS") == "earliest"
    assert not options.has("endingOffsets")


@pytest.mark.parametrize(
    ("text", "words"),
    [("a, b,,c", ["a", "b", "c"]), ('["a,b", "c"]', ["a,b", "c"]), ("", [])],
)
def test_lists_are_parted_by_commas_or_json(text: str, words: list[str]) -> None:
    assert SourceOptions({"x": text}).words("x") == words


@pytest.mark.parametrize("text", ["two", "-1", "9223372036854775808", "1.5"])
def test_a_wrong_number_is_named(text: str) -> None:
    with pytest.raises(UsageError, match=r"option minPartitions=.*: not a whole number from 0 on"):
        SourceOptions({"minPartitions": text}).integer("minPartitions")


def test_other_wrong_values_are_named() -> None:
    options = SourceOptions({"flag": "yes", "what": "all", "list": "[1]", "json": "{"})
    for read, said in (
        (lambda: options.flag("flag", default=True), "option flag=yes: not true or false"),
        (lambda: options.one_of("what", ("a", "b")), "option what=all: not one of a, b"),
        (lambda: options.words("list"), r"option list=\[1\]: not a JSON list of texts"),
        (lambda: options.json("json"), "option json={: not JSON"),
        (options.client, "option kafka.bootstrap.servers is missing"),
    ):
        with pytest.raises(UsageError, match=said):
            read()


def test_names_and_a_pattern_do_not_go_together() -> None:
    with pytest.raises(UsageError, match="options groups and groupsPattern: only one"):
        SourceOptions({"groups": "a", "groupsPattern": "b"}).names("groups", "groupsPattern")
    assert "ab" in SourceOptions({"groupsPattern": "a."}).names("groups", "groupsPattern")


def test_every_kafka_option_goes_to_the_client() -> None:
    values = {"kafka.bootstrap.servers": "a:1", "kafka.sasl.mechanism": "PLAIN", "what": "ends"}
    assert SourceOptions(values).client() == {"bootstrap.servers": "a:1", "sasl.mechanism": "PLAIN"}


def test_offsets_by_partition_are_those_of_sparks_own_source() -> None:
    assert by_partition({"t": {"0": 23, "1": -2}}, "x") == {("t", 0): 23, ("t", 1): -2}
    wrongs: list[object] = [[], {"t": 1}, {"t": {"x": 1}}, {"t": {"0": "1"}}, {"t": {"0": True}}]
    for wrong in wrongs:
        with pytest.raises(UsageError, match=r'option x: not ."topic"'):
            by_partition(wrong, "x")


def test_moments_are_given_or_cut_a_span_evenly() -> None:
    assert moments_of(SourceOptions({"times": "30,10, 20"}), 99) == [10, 20, 30]
    assert moments_of(SourceOptions({"since": "0", "until": "9", "steps": "3"}), 99) == [0, 3, 6, 9]
    assert moments_of(SourceOptions({}), HOUR) == [HOUR * k // 6 for k in range(7)]
    with pytest.raises(UsageError, match="since must be before until"):
        moments_of(SourceOptions({"since": "9", "until": "9"}), 99)
    with pytest.raises(UsageError, match="not times in ms"):
        moments_of(SourceOptions({"times": "noon"}), 99)
