import pytest

from pykafka_ops.commands.get_offsets.words import by_patterns
from pykafka_ops.errors import PkoError


@pytest.mark.parametrize(
    ("patterns", "yes", "no"),
    [
        ("a:1", [("a", 1)], [("a", 2), ("b", 1)]),
        ("a:1-3", [("a", 1), ("a", 2)], [("a", 0), ("a", 3)]),
        ("a:5-", [("a", 5), ("a", 99)], [("a", 4)]),
        ("a:-2", [("a", 0), ("a", 1)], [("a", 2)]),
        (":1", [("x", 1)], [("x", 0)]),
        ("a.*,b:0", [("abc", 7), ("b", 0)], [("b", 1), ("c", 0)]),
        ("", [("x", 5)], []),
    ],
)
def test_patterns_of_topics_and_partitions(
    patterns: str, yes: list[tuple[str, int]], no: list[tuple[str, int]]
) -> None:
    allowed = by_patterns(patterns)
    assert all(allowed(*p) for p in yes)
    assert not any(allowed(*p) for p in no)


def test_a_rule_that_is_none_is_told_as_kafka_does() -> None:
    with pytest.raises(PkoError, match="Invalid rule specification: a:b:c"):
        by_patterns("a:b:c")
