"""URIs: their schemes, what is below them, what of them may be shown."""

from __future__ import annotations

import pytest

from pykafka_ops.objects import uris
from pykafka_ops.objects.causes import cause

KEYED = "s3://AKIA:topsecret@logs/kafka/data?region=eu-1&secret_key=topsecret"


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        (KEYED, "s3://***@logs/kafka/data?region=eu-1&secret_key=***"),
        ("s3://logs/a?endpoint_override=h:1&scheme=http", None),
        ("abfs://logs@account.dfs.core.windows.net/a", None),
        ("abfs://logs:topsecret@account/a", "abfs://***@account/a"),
        ("hdfs://user:topsecret@nn:8020/a", "hdfs://***@nn:8020/a"),
        ("s3://AKIA:top/secret@logs/a@b?x=1", "s3://***@b?x=1"),
        ("s3://AKIA:top/secret@logs", "s3://***@logs"),
        ("s3://h:9000/a/b", None),
        ("gs://logs/a?sig=topsecret", "gs://logs/a?sig=***"),
        ("/var/a@b:c?sig=1", None),
    ],
)
def test_keys_are_not_shown_and_all_else_is(place: str, shown: str | None) -> None:
    assert uris.shown(place) == (shown or place)


def test_a_key_or_a_query_says_how_to_get_in() -> None:
    for place in (KEYED, "s3a://logs/a?scheme=http", "s3a://AKIA:top/secret@logs",
                  "abfs://logs:topsecret@account/a"):  # fmt: skip
        assert uris.has_settings(place), place
    for place in ("s3a://logs/a", "abfs://logs@account.dfs.core.windows.net/a", "/var/a?b"):
        assert not uris.has_settings(place), place


def test_names_go_before_the_query() -> None:
    assert uris.joined("s3://logs/a/?x=1", "b") == "s3://logs/a/b?x=1"
    assert uris.split_file("s3://logs/a/b.html?x=1") == ("s3://logs/a?x=1", "b.html")
    assert uris.split_file("s3://logs?x=http://h/") == ("s3://logs?x=http://h/", "")


def test_arrow_calls_some_stores_otherwise_and_does_not_know_all() -> None:
    assert uris.in_arrow("S3A://logs/a") == "s3://logs/a"
    assert [uris.opens_in_arrow(f"{s}://x") for s in ("s3n", "gcs", "hdfs", "wasb")] == [
        True, True, False, False,
    ]  # fmt: skip
    assert [uris.is_remote(p) for p in ("/a", "file:///a", "s3://a")] == [False, False, True]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("AWS Error NO_SUCH_BUCKET during PutObject", "no such bucket"),
        ("AWS Error ACCESS_DENIED during HeadObject operation", "does not allow it"),
        ("InvalidAccessKeyId: The AWS Access Key Id", "does not take the credentials (AWS_"),
        ("curlCode: 7, Could not connect to server", "does not answer"),
        ("odd thing (Request ID: abc)\nand more", "odd thing"),
    ],
)
def test_what_stores_say_becomes_a_line(said: str, meant: str) -> None:
    found = cause("s3://logs/a", OSError(said))
    assert meant in found
    assert "Request ID" not in found
    assert "\n" not in found
