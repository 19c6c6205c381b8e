"""Stores behind URIs: directories that are no objects, logins, and stores that say nothing."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyarrow.fs import FileType

from pykafka_ops.errors import StorageError, UsageError
from pykafka_ops.objects import opening
from pykafka_ops.objects.azure import AzureLogin, login_of
from pykafka_ops.spark.output.arrow_store import ArrowStore
from pykafka_ops.spark.sources.files import replicas
from tests.support.objects.google import google_store
from tests.support.spark.log_tables import write_log

KEY = "top+secret/=="
WRITTEN = "top%2Bsecret%2F%3D%3D"


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of a server that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


def test_directories_of_a_google_store_are_found_though_they_are_no_objects(
    tmp_path: Path,
) -> None:
    write_log(tmp_path, "orders", [[2], [3]])
    write_log(tmp_path, "orders", [[4]], partition=1)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    objects = {f"kafka/data/{path.relative_to(tmp_path)}": path.stat().st_size for path in files}
    with google_store({**objects, "kafka/h/kind=lag/a/b": 1}) as rest:
        found = replicas(f"gs://anonymous@logs/kafka/data{rest}")
        here = replicas(str(tmp_path))
        assert [(r.topic, r.partition) for r in found] == [("orders", 0), ("orders", 1)]
        assert [[(s.name, s.size) for s in r.segments] for r in found] == [
            [(s.name, s.size) for s in r.segments] for r in here
        ]
        store = ArrowStore(f"gs://anonymous@logs/kafka/h{rest}")
        assert store.names("") == ["kind=lag"]
        assert store.names("kind=lag") == ["a"]
        assert store.names("none") == []
        filesystem, _ = opening.opened(f"gs://anonymous@logs/{rest}")
        kinds = {i.base_name: i.type for i in opening.entries(filesystem, "logs/kafka")}
        assert kinds == {"data": FileType.Directory, "h": FileType.Directory}
        with pytest.raises(FileNotFoundError):
            opening.entries(filesystem, "logs/none")
        with pytest.raises(StorageError, match="there is no bucket or container other"):
            ArrowStore(f"gs://anonymous@other/h{rest}")


@pytest.mark.parametrize(
    ("uri", "env", "account", "host", "secrets"),
    [
        (f"abfs://me:{WRITTEN}@logs/a", {}, "me", "", (KEY, None)),
        (f"abfs://me:{WRITTEN}@h:1/logs?enable_tls=false", {}, "me", "h:1", (KEY, None)),
        ("abfss://logs@me.dfs.core.windows.net/a", {"AZURE_STORAGE_KEY": KEY}, "me", "",
         (KEY, None)),
        ("abfs://me.blob.core.windows.net/logs/a", {"AZURE_STORAGE_KEY": KEY,
         "AZURE_STORAGE_SAS_TOKEN": "sig=1"}, "me", "", (None, "sig=1")),
    ],
)  # fmt: skip
def test_keys_of_azure_come_from_the_uri_or_from_its_tools_variables(
    uri: str,
    env: dict[str, str],
    account: str,
    host: str,
    secrets: tuple[str | None, str | None],
) -> None:
    scheme = "http" if host else "https"
    assert login_of(uri, env) == AzureLogin(account, host, host, scheme, *secrets)


def test_without_a_key_azure_is_asked_for_a_token() -> None:
    assert login_of("abfs://logs@me.dfs.core.windows.net/a", {}) is None
    named = "abfs://logs@me.dfs.core.windows.net/a?credential_kind=cli"
    assert login_of(named, {"AZURE_STORAGE_KEY": KEY}) is None


def test_a_store_that_says_nothing_is_given_up(
    silent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "PATIENCE", 1)
    for uri in (
        f"gs://anonymous@logs/a?scheme=http&endpoint_override={silent}",
        f"s3://AKIA:topsecret@logs/a?scheme=http&endpoint_override={silent}",
        f"abfs://me:dG9wc2VjcmV0@{silent}/logs?enable_tls=false",
    ):
        with pytest.raises(StorageError, match="the store does not answer within 1 s") as raised:
            opening.opened(uri)
        assert not re.search("secret|dG9w", str(raised.value))


def test_a_library_that_ends_its_process_for_want_of_a_token_is_a_line() -> None:
    with pytest.raises(StorageError, match=r"127.0.0.1:1/logs.*: no credentials are found.*KEY"):
        opening.opened("abfs://me@127.0.0.1:1/logs/a?enable_tls=false")


def test_a_key_that_makes_no_uri_is_told_and_not_shown() -> None:
    with pytest.raises(UsageError, match="write / as %2F") as raised:
        opening.opened("s3://AKIA:top/secret@logs/a?region=eu-1")
    assert "secret" not in str(raised.value)
