"""Spark Connect: sessions on a server that runs already, and ``pko spark serve``, which is one.

Who reaches a Connect server runs code as its user: ours listens on loopback alone and asks for a
token, which lies in a file that only this user can read.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import secrets
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pykafka_ops.errors import ConnectError, PkoError, StorageError, UsageError, first_line
from pykafka_ops.spark import conf as settings
from pykafka_ops.spark.jvm import environment
from pykafka_ops.spark.session import SessionOptions, close, need_pyspark, session
from pykafka_ops.state_home import state_folder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PORT: Final = 15002
"""That of Spark Connect servers."""
TOKEN: Final = "SPARK_CONNECT_AUTHENTICATE_TOKEN"
"""The environment variable that Spark's server and clients read (pyspark.sql.connect)."""
_ANSWER_SECONDS: Final = 20.0
_PLUGIN: Final = "org.apache.spark.sql.connect.SparkConnectPlugin"
_MODULES: Final = ("grpc", "grpc_status", "pandas", "zstandard")
_URL: Final = re.compile(r"sc://([^:/;]+|\[[^\]]+\])(?::(\d+))?(?:/(;.*)?)?$")
_HERE: Final = ("localhost", "127.0.0.1")


def connect(url: str, env: Mapping[str, str]) -> SparkSession:
    """A session of its own on the server at ``url`` (``sc://HOST:PORT``), with the sources.

    Raises UsageError for another URL, PkoError for modules that are missing, ConnectError where no
    server answers or it wants another token.
    """
    need_pyspark()
    need_client()
    host, port, rest = _parts(url)
    token = _kept_token(env, port) if host in _HERE and TOKEN not in env else None
    if token and "token=" not in rest:
        url = f"sc://localhost:{port}/{rest}"  # PySpark sends a token without TLS to localhost only
    from pyspark.sql import SparkSession

    from pykafka_ops.spark.sources import register

    with environment({TOKEN: token} if token else {}):
        _reach(url)
        try:
            spark = SparkSession.builder.remote(url).create()
            for name, value in settings.SQL.items():
                spark.conf.set(name, value)
        except Exception as e:
            raise ConnectError(f"--remote {shown(url)}: {_said(e)}") from None
    register(spark)
    return spark


def shown(url: str) -> str:
    """What messages call a server: without the parameters, where a token may be."""
    return url.partition(";")[0].rstrip("/")


def _reach(url: str) -> None:
    """ConnectError unless a server of gRPC answers; PySpark alone would try for minutes."""
    import grpc
    from pyspark.sql.connect.client import DefaultChannelBuilder

    try:
        channel = DefaultChannelBuilder(url).toChannel()
    except Exception as e:
        raise UsageError(
            f"--remote {shown(url)}: {first_line(e).replace(url, shown(url))}"
        ) from None
    try:
        grpc.channel_ready_future(channel).result(timeout=_ANSWER_SECONDS)
    except grpc.FutureTimeoutError:
        raise ConnectError(
            f"--remote {shown(url)}: no Spark Connect server answers there"
        ) from None
    finally:
        channel.close()


def need_client() -> None:
    """PkoError with what to install unless Spark Connect's client is there."""
    for name in _MODULES:
        if importlib.util.find_spec(name) is None:
            raise PkoError(
                f"{name} is not installed for {sys.executable}: pip install 'pykafka-ops[connect]'"
            )


@contextlib.contextmanager
def serving(options: SessionOptions, port: int, env: Mapping[str, str]) -> Iterator[str]:
    """A Connect server on loopback and ``port`` (0: a free one) for the block; its URL.

    Raises what ``session`` raises, and StorageError where the token cannot be kept.
    """
    ours = {
        "spark.plugins": ",".join(filter(None, [options.conf.get("spark.plugins"), _PLUGIN])),
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
    }
    token = secrets.token_urlsafe(32)
    with environment({TOKEN: token}):
        spark = session(replace(options, conf={**options.conf, **ours}))
    try:
        services: Any = spark._jvm.org.apache.spark.sql.connect.service  # type: ignore[union-attr]
        service = getattr(getattr(services, "SparkConnectService$"), "MODULE$")
        found = int(service.localPort())
        path = _token_path(env, found)
        _keep(path, token)
        try:
            spark.range(1).count()  # what every query needs is loaded before anybody asks
            yield f"sc://localhost:{found}"
        finally:
            path.unlink(missing_ok=True)
    finally:
        close(spark)


def _parts(url: str) -> tuple[str, int, str]:
    """Host, port and parameters."""
    found = _URL.match(url)
    if found is None:
        raise UsageError(f"--remote {shown(url)}: write sc://HOST:PORT")
    return found[1], int(found[2] or PORT), found[3] or ""


def _token_path(env: Mapping[str, str], port: int) -> Path:
    return state_folder(env, "spark") / f"{port}.token"


def _kept_token(env: Mapping[str, str], port: int) -> str | None:
    """That of our server on ``port`` of this machine, None if there is none."""
    try:
        return _token_path(env, port).read_text().strip() or None
    except OSError:
        return None


def _keep(path: Path, token: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
            file.write(token)
    except OSError as e:
        raise StorageError(
            f"cannot keep the token in {path}: {e.strerror}; set XDG_STATE_HOME to a directory "
            "that can be written"
        ) from e


def _said(error: Exception) -> str:
    """What gRPC or Spark says, in a line."""
    text = str(error)
    if "UNAUTHENTICATED" in text or "authentication token" in text:
        return f"the server wants another token: set {TOKEN}"
    return first_line(error)
