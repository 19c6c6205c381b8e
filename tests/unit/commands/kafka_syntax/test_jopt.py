"""Kafka's flags, read as jopt-simple reads them, over the options of our verbs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.get_offsets import get_offsets
from pykafka_ops.commands.tokens import tokens
from pykafka_ops.commands.topics import topics
from tests.support.memory.context import args_of, reader_of
from tests.support.memory.demo_command import demo


def flags(*words: str) -> Args:
    return args_of(demo, words, tool=True)


def test_values_come_after_a_blank_or_an_equals_sign() -> None:
    assert flags("--name", "a", "--name=b", "--name=", "--name=c=d").values["name"] == [
        "a",
        "b",
        "",
        "c=d",
    ]


def test_a_single_dash_does_too_as_in_jopt() -> None:
    assert flags("-name", "a", "-count=3", "-fast").values == {
        "name": ["a"],
        "count": ["3"],
        "fast": [],
    }


def test_a_required_value_may_look_like_an_option() -> None:
    assert flags("--name", "--fast").values == {"name": ["--fast"]}


def test_an_optional_value_may_not() -> None:
    assert flags("--state", "--fast").values == {"state": ["all"], "fast": []}
    assert flags("--state", "x", "--fast").values["state"] == ["x"]
    assert flags("--state").values["state"] == ["all"]


@pytest.mark.parametrize(("word", "found"), [("-1", ["-1"]), ("7", ["7"]), ("soon", [])])
def test_an_optional_number_may_be_negative_and_nothing_else(word: str, found: list[str]) -> None:
    args = args_of(tokens, ["--renew-time-period", word], tool=True)
    assert args.values["renew-time-period"] == found


def test_a_separator_splits_one_value() -> None:
    assert flags("--list-of", "a,,b").values["list-of"] == ["a", "b"]
    assert flags("--list-of", "").values["list-of"] == [""]


def test_stray_words_are_kept_aside() -> None:
    args = flags("x", "--show", "-", "--", "--fast")
    assert args.stray == ["x", "-", "--fast"]
    assert args.values == {"show": []}


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--bogus"], "bogus is not a recognized option"),
        (["--bogus=1"], "bogus is not a recognized option"),
        (["--na", "x"], "na is not a recognized option"),
        (["-z"], "z is not a recognized option"),
        (["--name"], "Option name requires an argument"),
        (["--="], " is not a recognized option"),
    ],
)
def test_errors_are_jopts_words(words: list[str], text: str) -> None:
    with pytest.raises(OptionError) as caught:
        flags(*words)
    assert str(caught.value) == text


def test_zookeeper_is_unknown_with_a_hint_on_the_next_line() -> None:
    with pytest.raises(OptionError) as caught:
        flags("--zookeeper", "localhost:2181")
    first, second = str(caught.value).splitlines()
    assert first == "zookeeper is not a recognized option"
    assert "--bootstrap-server" in second


def test_a_switch_with_a_value_is_a_switch() -> None:
    assert flags("--fast=no").values == {"fast": []}


def test_our_short_options_work_in_kafkas_form_too() -> None:
    assert flags("--show", "-o", "json", "-ocsv").values["output"] == ["json", "csv"]


def test_the_verb_is_the_one_whose_switch_was_given() -> None:
    assert demo.tool is not None
    assert demo.tool.verb_of(flags("--move")).name == "move"


@given(st.lists(st.text(alphabet="ab-=,; ", max_size=6), max_size=6))
def test_any_words_parse_or_are_an_option_error(words: list[str]) -> None:
    try:
        flags(*words)
    except OptionError:
        return


# --- which of the two


@pytest.mark.parametrize(
    "words",
    [
        ["--bootstrap-server", "b", "--list"],
        ["--list", "-o", "json"],
        ["stray", "--list"],
        ["--topic", "list", "--describe"],
        ["--bootstrap-server", "b"],
    ],
)
def test_kafkas_switches_mean_kafkas_form(words: list[str]) -> None:
    assert topics.tool is not None
    assert topics.tool.is_meant(words)


@pytest.mark.parametrize(
    "words",
    [["list"], ["-b", "b", "list"], ["--bootstrap-server", "b", "describe", "x"], ["-o", "json"]],
)
def test_a_verb_means_ours(words: list[str]) -> None:
    assert topics.tool is not None
    assert not topics.tool.is_meant(words)


def test_a_command_without_verbs_is_ours_with_words_or_without_kafkas_options() -> None:
    assert get_offsets.tool is not None
    assert not get_offsets.tool.is_meant([])
    assert not get_offsets.tool.is_meant(["orders", "--time", "-1"])
    assert not get_offsets.tool.is_meant(["-b", "b:1", "orders"])
    assert get_offsets.tool.is_meant(["--bootstrap-server", "b:1", "--topic", "orders"])


def test_kafkas_tool_name_forces_its_form() -> None:
    assert args_of(topics, ["list"], tool=True).flags


def test_a_line_in_kafkas_form_is_handed_over_to_the_tool() -> None:
    assert reader_of(topics, ["--list", "--bootstrap-server", "b"]).command is topics.tool
    assert reader_of(topics, ["list", "-b", "b"]).command is topics.commands["list"]
