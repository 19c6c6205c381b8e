import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.errors import SettingError
from pykafka_ops.java_numbers import java_double
from pykafka_ops.settings.types import Type, Value, parse, show


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (Type.BOOLEAN, " TRUE", True),
        (Type.BOOLEAN, "false", False),
        (Type.INT, "+14", 14),
        (Type.INT, " 20 ", 20),
        (Type.INT, "١٢٣", 123),
        (Type.INT, "-2147483648", -(2**31)),
        (Type.SHORT, "32767", 32767),
        (Type.LONG, "9223372036854775807", 2**63 - 1),
        (Type.DOUBLE, "1e-7", 1e-7),
        (Type.DOUBLE, "0x1p-1", 0.5),
        (Type.DOUBLE, "0.5d", 0.5),
        (Type.DOUBLE, ".5F", 0.5),
        (Type.DOUBLE, "-Infinity", -math.inf),
        (Type.LIST, "", ()),
        (Type.LIST, " compact , delete ", ("compact", "delete")),
        (Type.LIST, "a,,b", ("a", "", "b")),
        (Type.STRING, " gzip ", "gzip"),
        (Type.PASSWORD, " pw ", "pw"),
        (Type.CLASS, "a.B", "a.B"),
        (Type.LONG, None, None),
    ],
)
def test_texts_become_values_as_in_kafka(kind: Type, text: str | None, value: Value) -> None:
    assert parse("x", kind, text) == value


def test_nan_is_a_double() -> None:
    assert math.isnan(float(str(parse("x", Type.DOUBLE, "NaN"))))


@pytest.mark.parametrize(
    ("kind", "text", "why"),
    [
        (Type.BOOLEAN, "yes", "Expected value to be either true or false"),
        (Type.BOOLEAN, "", "Expected value to be either true or false"),
        (Type.INT, "3000000000", "Not a number of type INT"),
        (Type.INT, "1_000", "Not a number of type INT"),
        (Type.INT, "", "Not a number of type INT"),
        (Type.INT, "-", "Not a number of type INT"),
        (Type.INT, "9" * 5000, "Not a number of type INT"),
        (Type.SHORT, "40000", "Not a number of type SHORT"),
        (Type.LONG, "abc", "Not a number of type LONG"),
        (Type.DOUBLE, "x", "Not a number of type DOUBLE"),
        (Type.DOUBLE, "", "Not a number of type DOUBLE"),
        (Type.DOUBLE, "1_0.0", "Not a number of type DOUBLE"),
    ],
)
def test_a_wrong_text_is_refused_with_kafkas_words(kind: Type, text: str, why: str) -> None:
    with pytest.raises(SettingError) as caught:
        parse("a.b", kind, text)
    assert str(caught.value) == f"Invalid value {text} for configuration a.b: {why}"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1024.0, "1024.0"),
        (1e7, "1.0E7"),
        (9999999.5, "9999999.5"),
        (0.001, "0.001"),
        (0.0009, "9.0E-4"),
        (1.5e-5, "1.5E-5"),
        (123456789.125, "1.23456789125E8"),
        (1e300, "1.0E300"),
        (-2.5e10, "-2.5E10"),
        (0.0, "0.0"),
        (100, "100.0"),
        (math.inf, "Infinity"),
    ],
)
def test_doubles_are_printed_as_java_prints_them(value: float, text: str) -> None:
    assert java_double(value) == text


@given(st.floats(allow_nan=False))
def test_a_printed_double_reads_back_the_same(value: float) -> None:
    assert parse("x", Type.DOUBLE, java_double(value)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, None), (True, "true"), (7, "7"), (0.5, "0.5"), (("a", "b"), "a,b"), ((), "")],
)
def test_values_are_shown_as_kafka_shows_them(value: Value, text: str | None) -> None:
    assert show(value) == text
