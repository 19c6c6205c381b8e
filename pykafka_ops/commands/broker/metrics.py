"""``pko broker metrics``: the values that JMX gives of Apache's broker (``kafka-jmx``)."""

from __future__ import annotations

import http.client
import json
from base64 import b64encode
from collections.abc import Mapping
from fnmatch import fnmatch
from typing import Any
from urllib.parse import urlsplit

from pykafka_ops.commands.broker.data_dir import data_dir_of, properties_of, running
from pykafka_ops.commands.framework.output import Column, Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import ConnectError, PkoError, UsageError

COLUMNS = (
    Column("metric"),
    Column("labels"),
    Column("value", right=True),
    Column("bean", wide=True),
    Column("attribute", wide=True),
)
MOST = 1 << 28
"""Bytes of a report that are read."""


def metrics(run: Run) -> Table:
    """One row per value whose name, or MBean, has one of the words in it or matches one."""
    url = run.args.text("url") or _url_of(run)
    words = run.args.texts("pattern")
    rows = [
        row
        for row in samples_of(url, fetch(url, run.silence))
        if not words or _is_meant(row, words)
    ]
    if words and not rows:
        raise PkoError(f"no metric of {url} is called {' or '.join(words)}")
    return Table("BrokerMetrics", COLUMNS, rows, name="metric")


def _url_of(run: Run) -> str:
    data_dir = data_dir_of(run.args, properties_of(run.args))
    found = running(data_dir)
    if found is None:
        raise ConnectError(f"no broker runs on {data_dir}: --data-dir or --url names one")
    if not found.get("metrics"):
        raise UsageError(
            f"broker {found.get('broker_id')} serves no metrics: start it with "
            "--override metrics.listen=127.0.0.1:0"
        )
    return str(found["metrics"])


def fetch(url: str, silence: float, login: str | None = None) -> bytes:
    """What a broker, or another exporter, answers; ``login`` is ``name=password``. Raises
    ConnectError, UsageError."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise UsageError(f"--url {url}: write http://HOST:PORT") from None
    kinds: dict[str, type[http.client.HTTPConnection]] = {
        "http": http.client.HTTPConnection,
        "https": http.client.HTTPSConnection,
    }
    if parts.scheme not in kinds or not parts.hostname:
        raise UsageError(f"--url {url}: write http://HOST:PORT")
    headers = {"Accept": "application/json, text/plain;q=0.5"}
    if login is not None:
        pair = login.replace("=", ":", 1).encode()
        headers["Authorization"] = f"Basic {b64encode(pair).decode()}"
    connection = kinds[parts.scheme](parts.hostname, port, timeout=silence)
    try:
        path = parts.path if parts.path.strip("/") else "/metrics"
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        body: bytes = answer.read(MOST)
    except TimeoutError:
        raise ConnectError(f"{url}: no answer within {silence:g} s") from None
    except (OSError, http.client.HTTPException) as error:
        raise ConnectError(f"{url}: {getattr(error, 'strerror', None) or error}") from None
    finally:
        connection.close()
    if answer.status != 200:
        text = body[:200].decode(errors="replace").strip()
        raise ConnectError(f"{url}: {answer.status} {answer.reason}: {text}")
    return body


def samples_of(url: str, body: bytes) -> list[dict[str, Any]]:
    """The samples of a broker of ours; ConnectError where it is none."""
    try:
        rows = json.loads(body)
        names = {column.key for column in COLUMNS}
        if all(names == row.keys() and isinstance(row["labels"], dict) for row in rows):
            return list(rows)
    except (ValueError, TypeError, AttributeError):
        pass
    raise ConnectError(f"{url}: does not answer as a broker of ours (metrics.listen)")


def _is_meant(row: Mapping[str, Any], words: list[str]) -> bool:
    names = [row["metric"], f"{row['bean']}:{row['attribute']}" if row["bean"] else ""]
    return any(
        fnmatch(name.lower(), word.lower() if set(word) & set("*?[") else f"*{word.lower()}*")
        for name in names
        for word in words
    )
