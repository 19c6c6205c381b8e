import pytest

from pykafka_ops.commands.get_offsets.words import OffsetProblem, moments_of, parse_time
from pykafka_ops.errors import UsageError


@pytest.mark.parametrize(
    ("text", "value"),
    [("latest", -1), ("earliest", -2), ("max-timestamp", -3), ("earliest-local", -4),
     ("latest-tiered", -5), ("earliest-pending-upload", -6),
     ("-2", -2), ("1700000000000", 1_700_000_000_000)],
)  # fmt: skip
def test_times_of_kafka(text: str, value: int) -> None:
    assert parse_time(text) == value


def test_a_time_that_is_none_is_told_as_kafka_does() -> None:
    with pytest.raises(OffsetProblem, match=r"^Malformed time argument noon\. Please use -1 or"):
        parse_time("noon")


def test_moments_of_our_form() -> None:
    now = 1_800_000_000_000
    assert moments_of("-2h", now) == [now - 7_200_000]
    assert moments_of("-3d", now) == [now - 3 * 86_400_000]
    assert moments_of("2023-11-14T22:13:20Z", now) == [1_700_000_000_000]
    assert moments_of("-1", now) == [-1]
    assert moments_of("all", now) == [-2, -1]
    with pytest.raises(UsageError, match="--time noon: write latest"):
        moments_of("noon", now)
