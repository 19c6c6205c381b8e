import pytest

from pykafka_ops.commands.framework.topic_filter import partitions_by_topic as parse
from pykafka_ops.errors import UsageError


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["a"], {"a": None}),
        (["a,b"], {"a": None, "b": None}),
        (["a:0,2"], {"a": [0, 2]}),
        (["a:0,2,b", "c:1"], {"a": [0, 2], "b": None, "c": [1]}),
        (["7,a:0,7"], {"7": None, "a": [0, 7]}),
        (["a:0", "a:0", "a:1"], {"a": [0, 1]}),
        (["a:0", "a"], {"a": None}),
        (["a", "a:0"], {"a": None}),
        ([], {}),
    ],
)
def test_words_are_topics_or_some_of_their_partitions(
    words: list[str], found: dict[str, list[int] | None]
) -> None:
    assert parse(words) == found


@pytest.mark.parametrize("word", ["a:x", "a:-1", "a:", ":0", "", "a,,b"])
def test_other_words_are_usage_errors(word: str) -> None:
    with pytest.raises(UsageError, match=r"write TOPIC or TOPIC:0,3|partitions are numbers"):
        parse([word])
