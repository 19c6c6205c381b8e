"""The small HTTP server of a mirror."""

from __future__ import annotations

import gzip
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest

from pykafka_ops.errors import ConnectError, UsageError
from pykafka_ops.mirror.report.asked import process_status, troubles_of
from pykafka_ops.mirror.report.server import PageServer, listen_place
from pykafka_ops.small_http import TEXT, HttpAnswer


def _broken(accept: str) -> HttpAnswer:
    raise ValueError(accept)


@pytest.fixture
def server() -> Iterator[PageServer]:
    pages = {
        "/x": lambda accept: HttpAnswer(200, TEXT, f"hello {accept}".encode()),
        "/long": lambda _: HttpAnswer(200, TEXT, b"x" * 5000),
        "/broken": _broken,
    }
    found = PageServer("127.0.0.1", 0, pages)
    found.start()
    yield found
    found.stop()


def got(server: PageServer, path: str, **headers: str) -> tuple[int, bytes]:
    request = urllib.request.Request(server.url + path, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def test_pages_are_served_by_path(server: PageServer) -> None:
    assert got(server, "/x?y=1", Accept="text/x") == (200, b"hello text/x")
    status, body = got(server, "/nothing")
    assert status == 404 and b"/x, /long, /broken" in body


def test_a_bug_in_a_page_is_a_500(server: PageServer) -> None:
    assert got(server, "/broken")[0] == 500
    assert got(server, "/x")[0] == 200


def test_long_pages_are_compressed_where_that_is_taken(server: PageServer) -> None:
    status, body = got(server, "/long", **{"Accept-Encoding": "gzip"})
    assert status == 200 and gzip.decompress(body) == b"x" * 5000


def test_nothing_but_reading_is_answered(server: PageServer) -> None:
    request = urllib.request.Request(server.url + "/x", b"data", method="POST")
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(request, timeout=60)
    with caught.value as error:
        assert error.code == 501


def test_a_mirror_that_runs_is_asked_what_it_says() -> None:
    body = b'{"links": [{"link": "a->b", "partitions": [{"topic": "t", "partition": 1, '
    body += b'"trouble": "too large"}, {"topic": "t", "partition": 0, "trouble": null}, 5]}]}'
    pages = {"/status": lambda _: HttpAnswer(200, TEXT, body)}
    running = PageServer("127.0.0.1", 0, pages)
    running.start()
    found = process_status(f"0.0.0.0:{running.port}")
    running.stop()
    assert troubles_of(found["a->b"]) == {("t", 1): "too large"}


@pytest.mark.parametrize("body", [b"", b"[]", b'{"links": 5}', b'{"links": [5]}', b"[" * 90_000])
def test_another_program_says_nothing(body: bytes) -> None:
    running = PageServer("127.0.0.1", 0, {"/status": lambda _: HttpAnswer(200, TEXT, body)})
    running.start()
    assert process_status(f"127.0.0.1:{running.port}") == {}
    running.stop()
    assert process_status(f"127.0.0.1:{running.port}") == {}
    assert process_status(None) == process_status("127.0.0.1:0") == {}
    assert troubles_of({"partitions": None}) == {}


def test_a_place_that_is_taken_is_a_line() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(ConnectError, match="cannot listen on"):
            PageServer("127.0.0.1", taken.getsockname()[1], {})


def test_places_to_listen() -> None:
    assert listen_place("[::1]:80") == ("::1", 80)
    for wrong in ("x", ":80", "x:70000", "x:y"):
        with pytest.raises(UsageError, match="write HOST:PORT"):
            listen_place(wrong)
