"""Sends a message by HTTP: one POST, no redirect followed, its URL shown nowhere."""

from __future__ import annotations

import base64
import json
import ssl
import urllib.error
import urllib.request
from http.client import HTTPException
from typing import Final
from urllib.parse import urlsplit

from pykafka_ops import __version__
from pykafka_ops.monitor.alerts.delivery.failure import DeliveryError, read_secret, without
from pykafka_ops.monitor.alerts.rules.incidents import Notice
from pykafka_ops.monitor.alerts.settings.receivers import (
    ALERTMANAGER,
    PAGERDUTY,
    SLACK,
    TEAMS,
    Receiver,
    url_fault,
)
from pykafka_ops.monitor.alerts.shapes.chat import slack, teams
from pykafka_ops.monitor.alerts.shapes.generic import generic
from pykafka_ops.monitor.alerts.shapes.pagers import ALERTS_PATH, alertmanager, pagerduty
from pykafka_ops.monitor.opener import no_redirect_opener

ANSWER: Final = 300
"""Characters shown of what a receiver says is wrong."""
_AGAIN: Final = (408, 425, 429)


def http_body(receiver: Receiver, notice: Notice, page: str) -> object:
    """The message in the receiver's form; DeliveryError where a key cannot be read."""
    if receiver.shape == PAGERDUTY:
        key = read_secret(receiver.routing_key) if receiver.routing_key else ""
        return pagerduty(notice, page, key)
    shapes = {SLACK: slack, TEAMS: teams, ALERTMANAGER: alertmanager}
    return shapes.get(receiver.shape, generic)(notice, page)


def send_http(receiver: Receiver, notice: Notice, page: str) -> None:
    """POST it. 2xx means sent; 408, 425, 429, 5xx and no answer are worth another try.
    DeliveryError."""
    url = read_secret(receiver.url) if receiver.url else ""
    if url_fault(url):
        raise DeliveryError(f"the URL of {receiver.name}: {url_fault(url)}")
    if receiver.shape == ALERTMANAGER and not url.rstrip("/").endswith(ALERTS_PATH):
        url = url.rstrip("/") + ALERTS_PATH
    headers, secrets = _headers(receiver, notice)
    parts = urlsplit(url)
    secrets += [url, parts.path if len(parts.path) > 1 else "", parts.query, parts.password or ""]
    body = json.dumps(http_body(receiver, notice, page), ensure_ascii=False)
    request = urllib.request.Request(url, body.encode(errors="replace"), headers, method="POST")
    opener = no_redirect_opener(tls_context(receiver))
    try:
        with opener.open(request, timeout=receiver.timeout_ms / 1000) as answer:
            answer.read1(1)
    except urllib.error.HTTPError as error:
        with error:
            raise _refused(error, secrets) from None
    except (OSError, HTTPException, ValueError) as error:
        said = getattr(error, "reason", None) or error or type(error).__name__
        raise DeliveryError(without(f"{parts.hostname}: {said}", secrets)) from None


def tls_context(receiver: Receiver) -> ssl.SSLContext:
    """As the receiver wants servers to be checked; DeliveryError."""
    try:
        context = ssl.create_default_context(cafile=receiver.ca_file or None)
    except OSError as error:
        raise DeliveryError(f"{receiver.ca_file}: {error.strerror or 'no certificates'}") from None
    if not receiver.verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _headers(receiver: Receiver, notice: Notice) -> tuple[dict[str, str], list[str]]:
    """The headers, and what of them is secret."""
    headers = {
        "Content-Type": "application/json",
        "User-Agent": f"pko-monitor/{__version__}",
        "Idempotency-Key": f"{notice.id}-{receiver.name}".encode("ascii", "replace").decode(),
        **receiver.headers,
    }
    secrets = list(receiver.headers.values())
    for name, secret in receiver.secret_headers.items():
        headers[name] = read_secret(secret)
        secrets.append(headers[name])
    if receiver.password:
        password = read_secret(receiver.password)
        login = base64.b64encode(f"{receiver.username}:{password}".encode()).decode()
        headers["Authorization"] = f"Basic {login}"
        secrets += [password, login]
    for name, value in headers.items():
        if not value.isprintable() or not value.isascii():
            raise DeliveryError(f"the header {name} holds characters that HTTP forbids")
    return headers, secrets


def _refused(error: urllib.error.HTTPError, secrets: list[str]) -> DeliveryError:
    try:
        said = error.read1(4 * ANSWER).decode(errors="replace")
    except (OSError, HTTPException, ValueError):
        said = ""
    reason = without(f"HTTP {error.code} {error.reason}: {said}", secrets)[:ANSWER]
    passing = error.code >= 500 or error.code in _AGAIN
    return DeliveryError(reason.rstrip(": "), lasting=not passing)
