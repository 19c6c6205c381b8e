"""The pages of mirrors in a real browser: for all eyes and keys on all screens, live by itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from pykafka_ops.monitor.cluster.watcher import now_ms
from pykafka_ops.monitor.http.app import make_app
from pykafka_ops.monitor.http.doors import all_routes
from pykafka_ops.monitor.http.server import HttpServer
from pykafka_ops.monitor.service import Service
from tests.support.monitor.mirrored import MirroredPair, link
from tests.support.process.chromium import Chromium

pytestmark = pytest.mark.browser
RULES = (Path(__file__).parents[1] / "support/monitor/accessible.js").read_text(encoding="utf-8")
PAGES = ("/mirrors", "/c/eu/mirrors/us->eu", "/c/eu")


class Shown(NamedTuple):
    """A pair of clusters whose mirror has stopped, the monitor's address, who looks."""

    pair: MirroredPair
    url: str
    browser: Chromium


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    pair = MirroredPair()
    for step in range(4):
        pair.round(now_ms() - (4 - step) * 15_000, 1000 + 100 * step, link(400 + 50 * step))
    pair.round(now_ms(), 1400, link(550, members=[]))
    server = HttpServer(
        make_app(Service({"us": pair.us, "eu": pair.eu}), all_routes()), "127.0.0.1", 0
    )
    server.start()
    browser = Chromium(tmp_path_factory.mktemp("profile"))
    yield Shown(pair, f"http://127.0.0.1:{server.port}", browser)
    browser.close()
    server.stop()


@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_for_all_eyes_and_keys_on_all_screens(shown: Shown, path: str) -> None:
    for width in (1280, 390):
        for scheme in ("light", "dark"):
            shown.browser.look(width, scheme)
            shown.browser.open(f"{shown.url}{path}")
            where = (path, width, scheme)
            assert shown.browser.evaluate(RULES) == [], where
            beyond = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            assert shown.browser.evaluate(beyond) <= 0, where
            assert shown.browser.console == [], where
            assert "no process" in shown.browser.evaluate("document.body.innerText"), where


def test_a_round_is_shown_without_the_page_being_loaded(shown: Shown) -> None:
    shown.browser.look(1280, "light")
    shown.browser.open(f"{shown.url}/mirrors")
    shown.browser.evaluate("window.same = true")
    shown.pair.round(now_ms(), 1400, link(1400))
    state = "document.querySelector('tbody .status')?.textContent"
    shown.browser.wait(f"{state} === 'ok'", what="the link is shown at work")
    assert shown.browser.evaluate("window.same") is True
