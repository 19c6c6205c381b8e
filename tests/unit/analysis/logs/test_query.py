"""What `find` looks for."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.analysis.logs.query import (
    Pattern,
    RecordQuery,
    compiled,
    offset_range,
    required_literal,
    within,
)
from pykafka_ops.errors import UsageError

PIECES = st.sampled_from(
    [*"abc", "a*", "b?", "c+", "[ab]", "[^a]", "[]a]", "(ab)", "(a|b)", "(bc)?", "(a(b)c)*", ".",
     "\\.", "\\d", "\\w+", "a{2}", "b{0,1}", "c{0}", "{", "^", "$", "\\b", "x{,3}", "\\x41", "b+?"]
)  # fmt: skip
PATTERNS = st.lists(PIECES, max_size=6).map("".join).filter(lambda text: _is_pattern(text))


def _is_pattern(text: str) -> bool:
    try:
        re.compile(text)
    except re.error:
        return False
    return True


@given(st.data())
def test_whatever_a_pattern_finds_holds_its_literal(data: st.DataObject) -> None:
    pattern = data.draw(PATTERNS)
    text = data.draw(st.from_regex(pattern))
    assert re.search(pattern, text)
    assert required_literal(pattern) in text


@pytest.mark.parametrize(
    ("pattern", "literal"),
    [
        ("failed", "failed"), ("^order-\\d+ failed$", " failed"), ("a\\.b", "a.b"), ("ab?cd", "cd"),
        ("abc+de", "abc"), ("(abc)?d", "d"), ("foo|bar", ""), ("(?i)foo", ""), ("a[bc]def", "def"),
        ("x{2}yz", "yz"), ("\\x41bc", ""), ("a{b", ""), ("[", ""), ("żó", "żó"), ("", ""),
    ],
)  # fmt: skip
def test_literals_of_patterns(pattern: str, literal: str) -> None:
    assert required_literal(pattern) == literal


@given(st.text(max_size=20))
def test_any_text_has_a_literal_or_none(text: str) -> None:
    assert required_literal(text) == "" or required_literal(re.escape(text)) != ""


@pytest.mark.parametrize(
    ("text", "span"),
    [("7", (7, 7)), ("7..9", (7, 9)), ("7..", (7, 2**63 - 1)), ("..9", (0, 9)), ("0", (0, 0))],
)
def test_offsets_are_inclusive(text: str, span: tuple[int, int]) -> None:
    assert offset_range(text) == span


@pytest.mark.parametrize("text", ["", "..", "-1", "9..8", "1-2", "1e3", str(2**63), "²"])
def test_what_is_no_offset_is_told(text: str) -> None:
    with pytest.raises(UsageError):
        offset_range(text)


def test_null_is_found_by_no_key_and_no_pattern() -> None:
    pattern = Pattern(compiled("", "--x"), bytes.decode)
    assert not RecordQuery(key=b"").content(None, None, list)
    assert not RecordQuery(key_pattern=pattern).content(None, b"", list)
    assert RecordQuery(key_pattern=pattern).content(b"", None, list)
    assert RecordQuery().is_empty and not RecordQuery(offsets=(0, 0)).is_empty
    assert RecordQuery(key=b"").of_content and not RecordQuery(producer_id=0).of_content


def test_a_span_of_time_includes_its_beginning_only() -> None:
    assert within(5, (5, 6)) and not within(6, (5, 6)) and not within(4, (5, None))
    assert within(-1, (None, 6)) and not RecordQuery(times=(0, 9)).at(1, 9)


def test_a_pattern_that_is_none_is_told_with_its_option() -> None:
    with pytest.raises(UsageError, match=r"--key-regex \(: no regular expression"):
        compiled("(", "--key-regex")
