"""One question to a schema registry: no redirect, a limit of time and of size."""

from __future__ import annotations

import base64
import json
import socket
import ssl
import threading
import time
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any, Final
from urllib.parse import urlsplit

from pykafka_ops import __version__
from pykafka_ops.errors import DeserializeError, PkoError
from pykafka_ops.monitor.alerts.delivery.failure import read_secret, without
from pykafka_ops.monitor.messages.settings import RegistrySettings

MOST_ANSWER: Final = 4 << 20
"""Bytes of an answer that are read."""
_SAID: Final = 200


class RegistryError(DeserializeError):
    """The registry gave no schema. ``lasting``: it said so, and will say so again."""

    def __init__(self, reason: str, *, lasting: bool = False) -> None:
        super().__init__(" ".join(reason.split())[:500])
        self.lasting = lasting


def ask_registry(settings: RegistrySettings, path: str) -> Any:
    """The JSON at a path, within ``timeout_ms`` in all. RegistryError."""
    secret = ""
    try:
        if settings.password:
            secret = read_secret(settings.password)
    except PkoError as error:
        raise RegistryError(f"schema registry: {error}") from None
    connection = _connection(settings)
    limit = settings.timeout_ms / 1000
    ended = threading.Event()
    deadline = time.monotonic() + limit

    opened: list[socket.socket] = []

    def hang_up() -> None:
        """However slowly bytes drip in, it is over."""
        ended.set()
        for sock in opened:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)

    watch = threading.Timer(limit, hang_up)
    watch.daemon = True
    watch.start()
    try:
        connection.connect()
        opened.append(connection.sock)  # an answer may take it away from the connection
        if ended.is_set():
            raise TimeoutError
        status, data = _exchange(connection, settings, path, secret)
    except (OSError, HTTPException, ValueError) as error:
        host = urlsplit(settings.url).netloc
        if ended.is_set() or time.monotonic() >= deadline or isinstance(error, TimeoutError):
            raise RegistryError(f"schema registry {host}: no answer within {limit:g} s") from None
        said = getattr(error, "strerror", None) or error or type(error).__name__
        raise RegistryError(f"schema registry {host}: {without(str(said), [secret])}") from None
    finally:
        watch.cancel()
        connection.close()
    if ended.is_set():
        raise RegistryError(f"schema registry: no answer within {limit:g} s")
    return _read(status, data, [secret])


def _connection(settings: RegistrySettings) -> HTTPConnection:
    parts = urlsplit(settings.url)
    host, limit = parts.hostname or "", settings.timeout_ms / 1000
    if parts.scheme == "http":
        return HTTPConnection(host, parts.port, timeout=limit)
    try:
        context = ssl.create_default_context(cafile=settings.ca_file or None)
    except OSError as error:
        why = error.strerror or "no certificates"
        raise RegistryError(f"schema registry: {settings.ca_file}: {why}") from None
    if not settings.verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return HTTPSConnection(host, parts.port, timeout=limit, context=context)


def _exchange(
    connection: HTTPConnection, settings: RegistrySettings, path: str, secret: str
) -> tuple[int, bytes]:
    headers = {
        "Accept": "application/vnd.schemaregistry.v1+json, application/json",
        "User-Agent": f"pko-monitor/{__version__}",
    }
    if settings.username:
        login = base64.b64encode(f"{settings.username}:{secret}".encode()).decode()
        headers["Authorization"] = f"Basic {login}"
    connection.request("GET", urlsplit(settings.url).path + path, headers=headers)
    answer = connection.getresponse()
    return answer.status, answer.read(MOST_ANSWER + 1)


def _read(status: int, data: bytes, secrets: list[str]) -> Any:
    if len(data) > MOST_ANSWER:
        raise RegistryError(f"schema registry: an answer of more than {MOST_ANSWER:,} bytes")
    try:
        body: Any = json.loads(data)
    except (ValueError, RecursionError):
        body = None
    if status == 200 and isinstance(body, dict):
        return body
    said = body.get("message") if isinstance(body, dict) else ""
    text = without(str(said or "")[:_SAID], secrets)
    lasting = status in (404, 422)
    raise RegistryError(f"schema registry: HTTP {status} {text}".rstrip(), lasting=lasting)
