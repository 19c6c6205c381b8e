"""The HTML pages in a real browser: figures as in the report, nothing fetched, nothing too wide."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from html import escape
from pathlib import Path

import pytest

from pykafka_ops.spark.model import Report
from pykafka_ops.spark.output.document import document
from pykafka_ops.spark.page import render
from pykafka_ops.spark.page.tables import ROWS
from tests.support.process.browser import Node, dom, run
from tests.support.process.chromium import Chromium
from tests.support.spark import kept_reports, reports

pytestmark = pytest.mark.browser
KINDS: dict[str, Callable[[], Report]] = {
    "lag": reports.lag_report,
    "skew": reports.skew_report,
    "retention": reports.retention_report,
    "forecast": kept_reports.forecast_report,
    "formats": kept_reports.formats_report,
}
PHONE = 390
# Says of a page what its own scripts cannot: how wide it is, what it fetched. Windows of a headless
# browser are no narrower than 500 pixels, so a phone is a frame.
PROBE = """<script>addEventListener('load', () => {
  const root = document.documentElement, said = parent.document.documentElement.dataset;
  said.width = innerWidth;
  said.beyond = root.scrollWidth - root.clientWidth;
  said.fetched = performance.getEntriesByType('resource').length;
});</script>"""


def write(page: str, directory: Path, *, script: str = "") -> Path:
    """The page as a file; with a ``script`` of the test, and then without its policy on scripts."""
    path = directory / "page.html"
    if script:
        before, _, rest = page.partition('<meta http-equiv="Content-Security-Policy"')
        page = before + script + rest.partition(">")[2]
    path.write_text(page, encoding="utf-8")
    return path


def on_a_phone(page: str, directory: Path) -> dict[str, str]:
    """What ``PROBE`` says of the page in a frame as wide as a phone."""
    inner = write(page, directory, script=PROBE).read_text(encoding="utf-8")
    frame = f'<iframe srcdoc="{escape(inner)}" style="width: {PHONE}px; height: 2000px; border: 0">'
    outer = write(f"<html><body>{frame}</iframe></body></html>", directory)
    return dom(outer, directory)[0].one("html").attributes


def figures(section: Node) -> list[dict[str, object]]:
    """The cells of a section's table by column, as the values they stand for."""
    names = [h.attributes["data-c"] for h in section.one("thead").all("th")]
    made: list[dict[str, object]] = []
    for row in section.one("tbody").all("tr"):
        cells = [c for c in row.children if isinstance(c, Node)]
        values = [
            json.loads(c.attributes["data-v"]) if is_json(c) else c.attributes.get("data-v", c.text)
            for c in cells
        ]
        made.append(dict(zip(names, values, strict=True)))
    return made


def is_json(cell: Node) -> bool:
    try:
        json.loads(cell.attributes.get("data-v", "-"))
    except ValueError:
        return False
    return True


def assert_same(page: Node, report: Report) -> None:
    """Every table of the page holds what ``-o json`` says."""
    sections = document(report)["sections"]
    assert isinstance(sections, dict)
    article = page.one("article", data_kind=report.kind)
    for name, section in sections.items():
        if not section["rows"]:
            assert section["title"] in article.one("p", class_="empty").text
            continue
        shown = article.one("section", data_section=name)
        wanted, seen = section["rows"], figures(shown)
        if len(wanted) > ROWS or report.kind == "skew":  # the hottest come first
            assert all(row in wanted for row in seen) and len(seen) == min(len(wanted), ROWS), name
        else:
            assert seen == wanted, name


def test_the_figures_of_the_page_are_those_of_the_json(tmp_path: Path) -> None:
    made = [build() for build in KINDS.values()]
    page, console = dom(write(render(made), tmp_path), tmp_path)
    for report in made:
        assert_same(page, report)
    assert not console


@pytest.mark.parametrize("kind", KINDS)
def test_a_phone_shows_the_page_without_scrolling_sideways(kind: str, tmp_path: Path) -> None:
    said = on_a_phone(render([KINDS[kind]()]), tmp_path)
    assert (said["data-width"], said["data-beyond"], said["data-fetched"]) == (str(PHONE), "0", "0")


def test_hostile_names_stay_text_and_inside_the_page(tmp_path: Path) -> None:
    groups = [
        (reports.HOSTILE, "STOP", 5),
        (reports.LONG, "STALL", 10**15),
        ("\u05e9\u05dc\u05d5\u05dd", "OK", 1),
        ("</title></svg><img src=x onerror=alert(1)>", "WARN", 7),
    ]
    report = reports.lag_report(groups)
    page, console = dom(write(render([report]), tmp_path), tmp_path)
    assert_same_names(page, [g for g, _, _ in groups])
    assert len(page.all("script")) == 1
    assert not page.all("img")
    assert not console
    assert on_a_phone(render([report]), tmp_path)["data-beyond"] == "0"


def assert_same_names(page: Node, names: list[str]) -> None:
    rows = page.one("section", data_section="groups").one("tbody").all("tr")
    shown = [r.all("th")[0] for r in rows]
    for cell, name in zip(shown, names, strict=True):
        said = cell.attributes.get("data-v", cell.text)
        assert said == name.replace("\u202e", "\\u202e").replace("\0", "\\u0000").replace(
            "\t", "\\u0009"
        )


def test_tables_can_be_sorted_and_filtered(tmp_path: Path) -> None:
    clicks = """<script>addEventListener('load', () => {
      const section = document.querySelector('[data-section=partitions]');
      section.querySelector('[data-c=lag] button').click();
      const filter = section.querySelector('input');
      filter.value = 'payments'; filter.dispatchEvent(new Event('input'));
    });</script>"""
    page, _ = dom(write(render([reports.lag_report()]), tmp_path, script=clicks), tmp_path)
    rows = page.one("section", data_section="partitions").one("tbody").all("tr")
    seen = [r for r in rows if "hidden" not in r.attributes]
    assert {r.all("th")[0].text for r in seen} == {"payments"}
    names = [h.attributes["data-c"] for h in page.one("section", data_section="partitions")
             .one("thead").all("th")]  # fmt: skip
    lag = names.index("lag") - 1  # the first column is a th
    lags = [int(r.all("td")[lag].attributes["data-v"]) for r in seen]
    assert lags == sorted(lags, reverse=True) and lags[0] > lags[-1]


def test_paper_shows_pictures_and_open_tables(tmp_path: Path) -> None:
    path = write(render([reports.retention_report()]), tmp_path)
    run(path, tmp_path, f"--print-to-pdf={tmp_path / 'page.pdf'}", "--no-pdf-header-footer")
    pdf = (tmp_path / "page.pdf").read_bytes()
    assert pdf.startswith(b"%PDF-") and pdf.count(b"/Type /Page\n") >= 2


@pytest.fixture
def window(tmp_path: Path) -> Iterator[Chromium]:
    chromium = Chromium(tmp_path / "window")
    yield chromium
    chromium.close()


def every() -> str:
    """A page of the three reports, of a cluster with a name."""
    made = [replace(build(), source={"servers": "broker:9092"}) for build in KINDS.values()]
    return render(made)


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 800)])
def test_the_first_screen_says_what_is_wrong_who_is_hit_and_what_to_do(
    width: int, height: int, window: Chromium, tmp_path: Path
) -> None:
    window.look(width, "light", height)
    window.open(write(every(), tmp_path).as_uri())
    for part in ("h1", ".hit", ".actions h2", ".actions li:first-child .command"):
        bottom = window.evaluate(f"document.querySelector('{part}').getBoundingClientRect().bottom")
        assert bottom <= height, part


@pytest.mark.parametrize("width", [390, 1280])
def test_name_and_verdict_stay_in_sight_and_whole(
    width: int, window: Chromium, tmp_path: Path
) -> None:
    groups = [("a-name-that-takes-more-room-than-there-is", "REWIND", 10**9), ("b", "OK", 0)]
    window.look(width, "light")
    window.open(write(render([reports.lag_report(groups)]), tmp_path).as_uri())
    seen = window.evaluate("""(() => {
        for (const fold of document.querySelectorAll('details')) fold.open = true;
        const found = [];
        for (const box of document.querySelectorAll('.scroll')) {
            if (!box.querySelector('td.verdict')) continue;
            box.scrollLeft = 10000;
            const edge = box.getBoundingClientRect();
            const cells = [...box.querySelector('tbody tr').children].slice(0, 2);
            const [name, verdict] = cells.map((cell) => cell.getBoundingClientRect());
            const whole = cells.every((cell) => cell.scrollWidth <= cell.clientWidth + 1);
            const room = verdict.right < edge.right;
            found.push([name.left >= edge.left, verdict.left - name.right, room, whole]);
        }
        return found;
    })()""")
    assert len(seen) >= 2
    for inside, gap, room, whole in seen:
        assert inside and abs(gap) <= 1 and room and whole


def test_tables_and_commands_can_be_copied(window: Chromium, tmp_path: Path) -> None:
    window.always("""Object.defineProperty(navigator, 'clipboard', {value: {
        writeText: async (text) => { window.copied = text; }}});""")
    window.open(write(every(), tmp_path).as_uri())
    window.click(".actions .copy")
    window.wait("window.copied !== undefined", "the command is copied")
    assert window.evaluate("window.copied") == window.evaluate(
        "document.querySelector('.command').textContent"
    )
    window.evaluate("window.copied = undefined")
    window.click("[data-section=groups] .copy")
    window.wait("window.copied !== undefined", "the table is copied")
    lines = [line.split("\t") for line in window.evaluate("window.copied").split("\n")]
    assert lines[0][:2] == ["group", "status"] and lines[1][:2] == ["payments", "STALL"]
    assert "48210" in lines[1] and len(lines) == 1 + len(reports.GROUPS)
    assert not window.console
