"""Asks a monitor over HTTP: its clusters, a whole view, the partitions of a group."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
import zlib
from collections.abc import Mapping
from email.message import Message
from http.client import HTTPException
from typing import Any, Final, NamedTuple
from urllib.parse import quote, urlsplit

import msgspec

from pykafka_ops import __version__
from pykafka_ops.analysis.lag.rows import LagRow
from pykafka_ops.errors import ConnectError, KafkaError, PkoError, UsageError, WireError
from pykafka_ops.monitor.cluster.codec import unpack_view
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.opener import no_redirect_opener
from pykafka_ops.wire.codes import ErrorCode

TIMEOUT_S: Final = 10.0
LONGEST: Final = 256 << 20
"""Bytes of an answer, unpacked: twice what 100,000 partitions and 10,000 groups are."""
_DENIED: Final = (401, 403)
_NOT_CHANGED: Final = 304


class FoundView(NamedTuple):
    """A view as the monitor has it; ``age_ms`` None: the cluster never answered it. ``view`` None:
    it is the one of ``tag``, as before."""

    view: ClusterView | None
    tag: str
    age_ms: int | None
    poll_ms: int | None


class MonitorApi:
    """The API of a monitor at ``url``.

    Every method raises ConnectError where nobody answers, and PkoError with what the monitor
    says.
    """

    def __init__(self, url: str, token: str = "") -> None:
        """``token`` is what the monitor knows the reader by; "": nothing. Raises UsageError."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(f"--monitor {url}: write http://HOST:PORT, or https://")
        if parts.username is not None or parts.password is not None:
            raise UsageError("--monitor: no password in the address, which every process can see")
        self.url = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def clusters(self) -> list[str]:
        """The names of the clusters that it watches."""
        return [str(row["name"]) for row in self._json("/api/v1/clusters")["clusters"]]

    def view(self, cluster: str, tag: str) -> FoundView:
        """The last view of a cluster; ``tag``: that of the one at hand."""
        path = f"/api/v1/clusters/{quote(cluster, safe='')}/view"
        body, headers = self._get(path, {"If-None-Match": tag} if tag else {})
        return FoundView(
            unpack_view(body) if body is not None else None,
            str(headers.get("ETag", "")),
            _whole(headers.get("X-Pko-Age-Ms")),
            _whole(headers.get("X-Pko-Poll-Ms")),
        )

    def rows(self, cluster: str, group: str) -> list[LagRow]:
        """The partitions of a group, [] for an unknown one."""
        path = f"/api/v1/clusters/{quote(cluster, safe='')}/groups/{quote(group, safe='')}"
        try:
            found = self._json(path)
        except KafkaError as error:
            if error.code == ErrorCode.GROUP_ID_NOT_FOUND:
                return []
            raise
        try:
            return msgspec.convert(found.get("rows"), list[LagRow])
        except msgspec.MsgspecError as error:
            raise WireError(f"{self.url} is of another release: {error}") from None

    def _json(self, path: str) -> dict[str, Any]:
        body, _ = self._get(path, {})
        try:
            found = json.loads(body or b"")
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise WireError(f"{self.url} is no monitor: it does not answer in JSON")
        return found

    def _get(self, path: str, more: Mapping[str, str]) -> tuple[bytes | None, Message]:
        headers = {
            "User-Agent": f"pko-top/{__version__}", "Accept-Encoding": "gzip",
            **self._headers, **more,
        }  # fmt: skip
        request = urllib.request.Request(self.url + path, headers=headers)
        opener = no_redirect_opener()
        try:
            with opener.open(request, timeout=TIMEOUT_S) as answer:
                return _unpacked(answer.read(LONGEST + 1), answer.headers), answer.headers
        except urllib.error.HTTPError as error:
            with error:
                if error.code == _NOT_CHANGED:
                    return None, error.headers
                raise self._refused(error) from None
        except (OSError, HTTPException, ValueError, zlib.error) as error:
            said = getattr(error, "reason", None) or str(error) or type(error).__name__
            raise ConnectError(f"the monitor at {self.url} does not answer: {said}") from None

    def _refused(self, error: urllib.error.HTTPError) -> PkoError:
        try:
            said = json.loads(error.read(1 << 16))["error"]
            text, code = str(said["message"]), str(said["code"])
        except (OSError, ValueError, KeyError, TypeError):
            text, code = f"HTTP status {error.code}", ""
        if error.code in _DENIED:
            return ConnectError(f"the monitor at {self.url} lets nobody in: {text}")
        if code == "UNKNOWN_GROUP":
            return KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, text)
        return WireError(f"the monitor at {self.url}: {text}")


def _unpacked(data: bytes, headers: Message) -> bytes:
    """ValueError where it is too long."""
    if headers.get("Content-Encoding") == "gzip":
        unpacker = zlib.decompressobj(31)
        data = unpacker.decompress(data, LONGEST + 1)
    if len(data) > LONGEST:
        raise ValueError(f"more than {LONGEST >> 20} MiB")
    return data


def _whole(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdigit() else None
