import pytest

from pykafka_ops.commands.framework.topic_filter import (
    InvalidRegexError,
    chosen,
    include_list,
    included,
)

NAMES = ["__consumer_offsets", "a", "a.b", "axb", "b"]


@pytest.mark.parametrize(
    ("raw", "names"),
    [
        ("a", ["a"]),
        ("a|b", ["a", "b"]),
        ("a, b", ["a", "b"]),
        ("'a'", ["a"]),
        ("a.b", ["a.b", "axb"]),
        (".*b", ["a.b", "axb", "b"]),
        ("foo|a", ["a"]),
        ("", []),
        (None, NAMES),
    ],
)
def test_kafkas_list_is_a_regular_expression_for_the_whole_name(
    raw: str | None, names: list[str]
) -> None:
    assert included(NAMES, raw, exclude_internal=False) == names


def test_internal_topics_can_be_left_out() -> None:
    assert "__consumer_offsets" not in included(NAMES, None, exclude_internal=True)
    assert included(NAMES, "__.*", exclude_internal=True) == []


def test_a_broken_expression_is_told_as_kafka_does() -> None:
    with pytest.raises(InvalidRegexError, match=r"\(a is an invalid regex\."):
        include_list("(a")


def test_our_words_are_names_unless_regex_is_asked_for() -> None:
    assert chosen(NAMES, ["a.b", "nope", "a.b"], regex=False) == (["a.b"], ["nope"])
    assert chosen(NAMES, ["a.b", "z.*"], regex=True) == (["a.b", "axb"], ["z.*"])
    assert chosen(NAMES, [], regex=False, exclude_internal=True) == (NAMES[1:], [])


def test_an_alternative_cannot_match_a_part_of_a_name() -> None:
    assert chosen(["foo", "foobar", "bar"], ["foo|bar"], regex=True)[0] == ["foo", "bar"]
