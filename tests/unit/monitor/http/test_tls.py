"""The monitor speaks TLS itself, where it has a certificate."""

from __future__ import annotations

import ssl
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from pykafka_ops.monitor.http.server import HttpServer
from tests.support.process import certificates
from tests.support.process.certificates import Authority
from tests.support.waiting import PATIENCE


def test_with_a_certificate_it_is_reached_by_tls_alone(tmp_path: Path) -> None:
    assert certificates.missing() is None
    authority = Authority(tmp_path)
    pem = str(authority.issue("monitor"))
    app = Starlette(routes=[Route("/", lambda r: PlainTextResponse(r.url.scheme))])
    server = HttpServer(app, "127.0.0.1", 0, (pem, pem))
    server.start()
    try:
        trusting = ssl.create_default_context(cafile=str(authority.ca))
        url = f"https://127.0.0.1:{server.port}/"
        with urllib.request.urlopen(url, timeout=PATIENCE, context=trusting) as answer:
            assert answer.read() == b"https"
        with pytest.raises((urllib.error.URLError, OSError)):
            urllib.request.urlopen(url.replace("https", "http"), timeout=PATIENCE)
    finally:
        server.stop()
