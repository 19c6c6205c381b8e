"""RE2's expressions: what Python's own find, what RE2/J says of errors, and no more time."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.broker.state.groups.consumer.regex.match import PAUSE, Regex, matching
from pykafka_ops.broker.state.groups.consumer.regex.nodes import RegexError

NAMES = ["", "a", "ab", "aab", "orders", "Orders", "orders-1", "x.y", "a_b", "__consumer_offsets"]
BASE = st.sampled_from(["a", "b", ".", "[a-c]", "[^a]", "\\w", "\\d", "x\\.y", "^", "$", "\\b"])
REPEATS = st.sampled_from(["", "*", "+", "?", "{2}", "{1,3}", "{0,1}", "*?", "+?"])


def _joined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("|".join),
        st.tuples(inner, REPEATS).map(lambda both: f"(?:{both[0]}){both[1]}"),
    )


@given(st.recursive(BASE, _joined, max_leaves=8), st.text("abxy.-_", max_size=8))
def test_whole_texts_match_as_python_has_it(regex: str, text: str) -> None:
    assert Regex(regex).matches(text) == bool(re.fullmatch(regex, text)), (regex, text)


@pytest.mark.parametrize(
    ("regex", "found"),
    [
        ("orders.*", {"orders", "orders-1"}),
        ("(?i)orders", {"orders", "Orders"}),
        ("(?i:O)rders", {"orders", "Orders"}),
        ("\\Qx.y\\E", {"x.y"}),
        ("[[:alpha:]]+", {"a", "ab", "aab", "orders", "Orders"}),
        ("\\p{Lu}\\pL*", {"Orders"}),
        ("[^\\p{Latin}]*", {""}),
        ("(?P<n>a)b|__.*", {"ab", "__consumer_offsets"}),
        ("\\x61\\x{62}", {"ab"}),
        ("(|a)(a*)*b", {"ab", "aab"}),
        ("a{0}", {""}),
    ],
)
def test_what_only_re2_has(regex: str, found: set[str]) -> None:
    pattern = Regex(regex)
    assert {name for name in NAMES if pattern.matches(name)} == found


@pytest.mark.parametrize(
    ("regex", "text"),
    [
        ("(", "missing closing )"),
        ("a)", "regexp/syntax: internal error"),
        ("[a", "missing closing ]"),
        ("*a", "missing argument to repetition operator"),
        ("a**", "invalid nested repetition operator"),
        ("a{2}{3}", "invalid nested repetition operator"),
        ("a{2000}", "invalid repeat count"),
        ("a{1,0}", "invalid repeat count"),
        ("\\", "trailing backslash at end of expression"),
        ("(?<n", "invalid named capture"),
        ("(?P<n>a)(?P<n>b)", "duplicate capture group name"),
        ("(?Z)", "invalid or unsupported Perl syntax"),
        ("(?i", "invalid or unsupported Perl syntax"),
        ("[b-a]", "invalid character class range"),
        ("\\pX", "invalid character class range"),
        ("\\8", "invalid escape sequence"),
        ("[[:foo:]]", "invalid character class range"),
        ("(" * 101 + ")" * 101, "expression nests too deeply"),
        ("(a{500}){9}", "expression too large"),
    ],
)
def test_errors_are_described_as_re2j_does(regex: str, text: str) -> None:
    with pytest.raises(RegexError) as error:
        Regex(regex)
    assert str(error.value) == text


def test_an_expression_that_would_take_for_ever_takes_its_steps() -> None:
    pattern = Regex("(a*)*(a|aa)+b")
    assert not pattern.matches("a" * 249)
    assert pattern.work < 100_000


def test_many_texts_are_matched_with_pauses() -> None:
    work = matching({"r": Regex(".*1")}, [f"t{n}" for n in range(20_000)], lambda name: True)
    pauses = 0
    while True:
        try:
            next(work)
        except StopIteration as done:
            assert len(done.value["r"]) == 2_000
            break
        pauses += 1
    assert pauses >= 20_000 // PAUSE


@given(
    st.text("ab\\.+*?()|[]{}^$-,:<>P0129QEdwsbxpLu\u00e9i=", max_size=24),
    st.text("ab-", max_size=5),
)
def test_any_text_is_an_expression_or_described(regex: str, text: str) -> None:
    try:
        pattern = Regex(regex)
    except RegexError as error:
        assert str(error)
    else:
        assert pattern.matches(text) in (True, False)
