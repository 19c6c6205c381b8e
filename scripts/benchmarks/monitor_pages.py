"""Rows about the pages of ``pko monitor`` in a browser: 1,000 brokers, 100,000 partitions, 10,000
groups; the time from a key, a click or the wheel until the answer is painted."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from scripts.benchmarks.context import ROOT, WORK, Bench
from scripts.benchmarks.results import OURS, Row
from tests.support.monitor.large_rounds import EVERYTHING
from tests.support.process.chromium import Chromium

PROBE: Final = (Path(__file__).parent / "interaction.js").read_text(encoding="utf-8")
FIRST_MS, ANSWER_MS = 1_000.0, 100.0
ROUND_SECONDS: Final = 15
PLACES: Final = (
    "", "/groups", f"/groups/{EVERYTHING}", "/topics", "/topics/topic-0077", "/brokers",
    "/brokers/11", "/transactions", "/moves", "/elections", "/acls", "/alerts", "/probes",
    "/timeline", "/search?q=client-77",
)  # fmt: skip
Act = Callable[[Chromium], None]
Wanted = dict[str, Any]
_FIRST_CELL: Final = "tbody tr:first-child td"


def pages(bench: Bench) -> None:
    """First paint of every page, then what people do on it, while rounds come."""
    if OURS not in bench.names:
        return
    with _served() as url:
        browser = Chromium(WORK / "pages" / "profile")
        try:
            browser.always(PROBE)
            browser.look(1280, "light")
            for number in range(bench.repeats):
                _measure(bench, browser, url, "" if number else "first ")
        finally:
            browser.close()


def _measure(bench: Bench, browser: Chromium, url: str, first: str) -> None:
    for path in PLACES:
        browser.open(f"{url}{path}")
        painted = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
        browser.wait(painted, what="something is painted")
        took = float(browser.evaluate(painted))
        when = "the first after the start" if first and not path else "first paint"
        _add(bench, path, when, took, FIRST_MS)
        if browser.evaluate("document.documentElement.scrollHeight > innerHeight + 100"):
            _timed(bench, browser, path, "wheel", lambda b: b.wheel(90), {"scrolled": 0})
    for path, what, wanted, act in _acts():
        if path is not None:
            browser.open(f"{url}{path}")
            here = path
        _timed(bench, browser, here, what, act, wanted)


def _acts() -> Iterator[tuple[str | None, str, Wanted, Act]]:
    """Where (None: on the same page), what, what is wanted, how."""

    def click(selector: str) -> Act:
        return lambda browser: browser.click(selector)

    def keys(*pressed: str) -> Act:
        return lambda browser: [browser.press(key) for key in pressed].clear()

    yield "", "menu", {"selector": "main table th a", "href": "/groups"}, click("nav a[data-key=g]")
    for path, sort, typed, left in (
        ("/groups", "lag", "0777", "group-00777"),
        ("/topics", "bytes", "077", "topic-0077"),
        ("/brokers", "bytes", "b77", "77"),
    ):
        yield path, "sort", _sorted(f"-{sort}", sort), click(f"a[data-sort='-{sort}']")
        yield path, "next page", {"selector": ".pager", "text": "101 to"}, click(".pager a")
        focused = {"selector": "#filter", "focused": True}
        yield path, "to the filter", focused, keys("f")
        for letter in typed[:-1]:
            yield None, "filter", {"selector": "main", "text": ""}, keys(letter)
        yield None, "filter", {"selector": _FIRST_CELL, "text": left}, keys(typed[-1])
        moved = {"selector": "tbody tr:first-child td a", "focused": True}
        yield path, "to the next row", moved, keys("j")
        opened = {"selector": "h1", "href": f"{path}/"}
        yield None, "open the row", opened, keys("Enter")
    everything = f"/groups/{EVERYTHING}"
    yield "/groups?search=every", "open it", {"selector": "h1", "text": EVERYTHING}, click("td a")
    for sort, back in (("-lag", "lag"), ("status", "status"), ("-lag_seconds", "lag_seconds"),
                       ("client_id", "client_id")):  # fmt: skip
        changed = _sorted(sort, back)
        yield everything, f"sort by {back}", changed, click(f"a[data-sort='{sort}']")
    yield everything, "next page", {"selector": ".pager", "text": "101 to"}, click(".pager a")
    searching = {"selector": "#search", "focused": True}
    yield "", "to the search", searching, keys("/")
    yield None, "type", {"selector": "main", "text": ""}, keys(*"client-7")
    yield None, "search", {"selector": "h1", "text": "Search"}, keys("Enter")


def _timed(bench: Bench, browser: Chromium, path: str, what: str, act: Act, wanted: Wanted) -> None:
    said = json.dumps(json.dumps(wanted))
    browser.evaluate(
        "sessionStorage.removeItem('begun'), sessionStorage.removeItem('took'), "
        f"sessionStorage.wanted = {said}"
    )
    act(browser)
    browser.wait("'took' in sessionStorage", what=f"{what} on {path or '/'}: {wanted}")
    _add(bench, path, what, float(browser.evaluate("sessionStorage.took")), ANSWER_MS)


def _add(bench: Bench, path: str, what: str, took: float, goal: float) -> None:
    row = Row(f"page {path or '/'}: {what}", "ms", goal, digits=0, absolute=True)
    bench.results.add(row, OURS, took)
    bench.say(f"  {row.name}: {took:,.0f} ms")


def _sorted(sort: str, back: str) -> Wanted:
    """The page that is sorted so; ``back``: how the heading would sort then."""
    return {"selector": f"th[aria-sort] a[data-sort='{back}']", "href": f"sort={sort}"}


@contextmanager
def _served() -> Iterator[str]:
    directory = WORK / "pages"
    shutil.rmtree(directory, ignore_errors=True)
    argv = [sys.executable, "-m", "scripts.benchmarks.monitor_served", str(directory / "data")]
    server = subprocess.Popen(
        [*argv, str(ROUND_SECONDS)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert server.stdin is not None and server.stdout is not None
    try:
        address = server.stdout.readline().decode().strip()
        assert address, "it did not start"
        yield address
    finally:
        server.stdin.close()
        server.wait(60)
