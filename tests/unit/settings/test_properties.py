import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.errors import SettingError
from pykafka_ops.settings.properties import format_properties, parse_properties


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a=b\nc:d\ne f\n", {"a": "b", "c": "d", "e": "f"}),
        ("  a  =  b c  \n", {"a": "b c  "}),
        ("# note\n! note\n\n \t\na=1", {"a": "1"}),
        ("a=1\na=2\n", {"a": "2"}),
        ("a=1\\\n   2\\\n\t3\nb=4", {"a": "123", "b": "4"}),
        ("a=1\\\\\nb=2", {"a": "1\\", "b": "2"}),
        ("a\\ b\\=c=d", {"a b=c": "d"}),
        ("a=\\u00e9\\t\\n\\q", {"a": "é\t\nq"}),
        ("a=\\ud83d\\ude00", {"a": "😀"}),
        ("a\r\nb\rc", {"a": "", "b": "", "c": ""}),
        ("a = = b", {"a": "= b"}),
        ("=x", {"": "x"}),
        ("a=x\\", {"a": "x"}),
        ("a=1\\\n# not a comment\n", {"a": "1# not a comment"}),
        ("listeners=PLAINTEXT://:9092,SSL://:9093", {"listeners": "PLAINTEXT://:9092,SSL://:9093"}),
        ("", {}),
    ],
)
def test_lines_are_read_as_java_reads_them(text: str, values: dict[str, str]) -> None:
    assert parse_properties(text) == values


def test_bytes_are_latin_1() -> None:
    assert parse_properties(b"a=\xe9") == {"a": "é"}


def test_a_broken_escape_is_refused() -> None:
    with pytest.raises(SettingError, match="Malformed"):
        parse_properties("a=\\u12g4")


def test_what_would_be_read_otherwise_is_escaped() -> None:
    written = format_properties({"a b": " x =#", "ü": "😀\\"})
    assert written == "a\\ b=\\ x \\=\\#\n\\u00FC=\\uD83D\\uDE00\\\\\n"


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), st.text()))
def test_what_is_written_reads_back_the_same(values: dict[str, str]) -> None:
    assert parse_properties(format_properties(values)) == values
