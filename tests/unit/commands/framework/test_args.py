import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.framework.params import Option, table
from pykafka_ops.commands.framework.types import COUNT, LONG_COUNT, java_integer

NUMBERS = (Option("--n", type=COUNT), Option("--l", type=LONG_COUNT))
OPTIONS = table([*NUMBERS, Option("--d", default="1.5"), Option("--s", default="x")])


def args(**values: list[str | int | float]) -> Args:
    made = Args(OPTIONS, "go", flags=True)
    made.values = dict(values)
    return made


@pytest.mark.parametrize(
    ("text", "value"),
    [("5", 5), ("+5", 5), ("-5", -5), ("2147483647", 2**31 - 1), ("-2147483648", -(2**31)),
     ("2147483648", None), ("", None), ("-", None), (" 5", None), ("1_0", None), ("0x1", None),
     ("٣", None), ("9" * 5000, None)],
)  # fmt: skip
def test_integers_are_javas(text: str, value: int | None) -> None:
    assert java_integer(text) == value


@given(st.integers(-(2**63), 2**63 - 1))
def test_every_long_is_read(value: int) -> None:
    assert java_integer(str(value), 63) == value


def test_numbers_that_do_not_fit_are_jopts_error() -> None:
    with pytest.raises(OptionError, match="Cannot parse argument 'x' of option n"):
        args(n=["x"]).number("n")
    with pytest.raises(OptionError, match="of option n"):
        args(n=["4294967296"]).number("n")
    assert args(l=["4294967296"]).number("l") == 4294967296


def test_defaults_stand_in_but_do_not_count_as_given() -> None:
    empty = args()
    assert (empty.text("s"), empty.text("d"), empty.number("n")) == ("x", "1.5", None)
    assert not empty.has("s")


def test_a_repeated_option_is_jopts_error_where_one_is_wanted() -> None:
    message = "Found multiple arguments for option s, but you asked for only one"
    with pytest.raises(OptionError, match=message):
        args(s=["a", "b"]).text("s")
    assert args(s=["a", "b"]).texts("s") == ["a", "b"]


def test_missing_and_forbidden_options_are_told_as_kafka_does() -> None:
    with pytest.raises(OptionError) as caught:
        args().require("n")
    assert str(caught.value) == 'Missing required argument "[n]"'
    with pytest.raises(OptionError) as caught:
        args(n=["1"], s=["a"]).forbid("n", "l", "s")
    assert str(caught.value) == 'Option "[n]" can\'t be used with option "[s]"'
    args(n=["1"]).forbid("l", "n")


def test_what_click_has_read_is_taken_as_it_is() -> None:
    assert args(n=[5], d=[0.5]).number("n") == 5
    assert args(n=[5]).texts("n") == ["5"]
