"""What Java says of a file system, in words."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from pykafka_ops.errors import StorageError, UsageError
from pykafka_ops.spark.output import outlets
from pykafka_ops.spark.output.hadoop_store import unusable, within

MISSING = "java.lang.ClassNotFoundException: Class org.apache.hadoop.fs.s3a.S3AFileSystem not found"
UNKNOWN = "org.apache.hadoop.fs.UnsupportedFileSystemException: No FileSystem for scheme "
SDK = ": java.lang.NoClassDefFoundError: software/amazon/awssdk/core/Client\n\tat org.apache"


def test_a_scheme_without_jar_is_told_with_the_jar_of_that_hadoop() -> None:
    for root, said, hint in (
        ("s3a://b/x", MISSING, ": give --packages org.apache.hadoop:hadoop-aws:3.5.0"),
        ("s3://b/x", f'{UNKNOWN}"s3"', ""),
    ):
        found = unusable(root, f"java.lang.RuntimeException: {said}", "3.5.0")
        assert isinstance(found, UsageError)
        assert str(found) == f"{root}: Spark has no file system for {root[:-3]}{hint}"


def test_jars_that_are_not_all_there_are_told_and_nobody_goes_another_way() -> None:
    found = unusable("s3a://b/x", SDK, "3.5.0")
    assert isinstance(found, StorageError)
    assert str(found) == (
        "s3a://b/x: Spark's file system for s3a:// lacks software/amazon/awssdk/core/Client: "
        "give all jars of org.apache.hadoop:hadoop-aws:3.5.0"
    )
    assert unusable("hdfs://nn/x", "java.net.UnknownHostException: nn", "3.5.0") is None


def test_a_uri_with_settings_in_it_is_for_arrow(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ArrowStore", "HadoopStore"):
        monkeypatch.setattr(outlets, name, lambda *given, name=name: (name, given[-1]))
    session: Any = object()
    for uri in ("s3a://b/x?endpoint_override=h:1", "s3a://ID:KEY@b/x"):
        assert outlets.store_of(session, uri) == ("ArrowStore", uri)
    for uri in ("s3a://b/x", "hdfs://user@nn/x?y"):
        assert outlets.store_of(session, uri) == ("HadoopStore", uri)


def test_a_store_has_so_long_to_answer_and_what_it_refuses_is_raised() -> None:
    def refuse() -> None:
        raise StorageError("closed")

    release = threading.Event()
    assert within(60, lambda: None)
    assert not within(0.001, lambda: release.wait() and None)
    release.set()
    with pytest.raises(StorageError, match="closed"):
        within(60, refuse)
