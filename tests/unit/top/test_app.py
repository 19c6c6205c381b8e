"""The screen, driven by keys as textual's Pilot presses them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static

from pykafka_ops.analysis.cluster_state import Placed
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.monitor.cluster.answers import NotAsked
from pykafka_ops.top.pages import words
from pykafka_ops.top.pages.groups import GROUPS
from pykafka_ops.top.screen import rows
from pykafka_ops.top.screen.app import READ_ONLY, TopApp
from pykafka_ops.top.screen.ask import ConfirmPlan
from pykafka_ops.top.table import Entry, Page, ViewPlace, fitted
from tests.unit.top.made import MadeSource, group, lag_row, view

Drive = Callable[[Pilot[int], TopApp], Awaitable[None]]
HOSTILE = ("[red]x[/red]", "a\x1b[31mb\u202ec", "😀" * 40, "n" * 300)


@dataclass
class MadePlan:
    """An action that counts."""

    subject: str
    question: str
    page: Page
    done: int = 0

    def run(self) -> str:
        self.done += 1
        return "1 leader elected"


class MadeDesk:
    """Plans by hand; ``words`` are what seek was asked."""

    def __init__(self, error: PkoError | None = None) -> None:
        columns = (words.PARTITION,)
        self.error, self.words = error, ""
        self.plan = MadePlan("orders", "Do it?", Page("a plan", columns, [Entry(0, (0,))]))

    def elect(self, topic: str) -> MadePlan:
        if self.error is not None:
            raise self.error
        return self.plan

    def seek(self, group: str, words: str) -> MadePlan:
        self.words = words
        return self.elect(group)


def drive(app: TopApp, steps: Drive, size: tuple[int, int] = (80, 24)) -> None:
    """Run the app without a terminal."""

    async def go() -> None:
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await steps(pilot, app)

    asyncio.run(go())


def text_of(app: TopApp, name: str) -> str:
    return str(app.screen_stack[0].query_one(f"#{name}", Static).content)


def rows_of(app: TopApp) -> list[str]:
    shown = app.rows
    return [shown.render_line(y).text.rstrip() for y in range(shown.size.height)]


async def settled(pilot: Pilot[int], app: TopApp) -> None:
    """What was asked in a thread has come."""
    await app.workers.wait_for_complete()
    await pilot.pause()


def two_groups() -> MadeSource:
    source = MadeSource(view(group("billing", "STALL", 61), group("reports")))
    source.lag_rows = [lag_row("orders", 0), lag_row("orders", 1, "OK", 0)]
    return source


def test_the_overview_says_what_is_wrong_and_who_suffers() -> None:
    async def steps(pilot: Pilot[int], app: TopApp) -> None:
        assert text_of(app, "verdict").splitlines()[-1] == "1 group stalled"
        assert text_of(app, "lines") == "nothing is broken"
        assert [r.split()[0] for r in rows_of(app) if r] == ["GROUP", ">billing"]

    drive(TopApp(two_groups()), steps)


def test_enter_leads_from_a_group_to_the_record_it_stands_at_and_escape_back() -> None:
    source = two_groups()

    async def steps(pilot: Pilot[int], app: TopApp) -> None:
        await pilot.press("4", "enter")
        await settled(pilot, app)
        assert "group billing" in text_of(app, "where")
        assert rows_of(app)[1].split()[:4] == [">orders", "0", "STALL", "61"]
        await pilot.press("enter")
        await settled(pilot, app)
        assert source.asked == [39]
        assert rows_of(app)[1].split()[0] == ">" and rows_of(app)[1].split()[1] == "39"
        await pilot.press("down", "enter")
        assert "record 40 of orders-0" in text_of(app, "where")
        assert "key    1 bytes" in rows_of(app)[2]
        await pilot.press("escape", "escape", "escape")
        assert "groups (2)" in text_of(app, "where")

    drive(TopApp(source), steps)


def test_records_are_leafed_through_from_any_offset() -> None:
    source = two_groups()

    async def steps(pilot: Pilot[int], app: TopApp) -> None:
        await pilot.press("colon", *"messages orders 0", "enter")
        for key in ("p", "n", "left_square_bracket", "right_square_bracket"):
            await settled(pilot, app)
            await pilot.press(key)
        await settled(pilot, app)
        await pilot.press("o", *"17", "enter")
        await settled(pilot, app)
        assert source.asked == [-1, 800, 900, 0, -1, 17]

    drive(TopApp(source), steps)


def test_what_refuses_records_is_told_where_they_would_stand() -> None:
    source = two_groups()
    source.trouble = KafkaError(29, "not authorised\x1b[2J")

    async def steps(pilot: Pilot[int], app: TopApp) -> None:
        await pilot.press("colon", *"messages orders 0", "enter")
        await settled(pilot, app)
        assert rows_of(app)[1].strip() == "not authorised�[2J"

    drive(TopApp(source), steps)


def test_a_filter_keeps_matching_rows_and_escape_drops_it() -> None:
    async def steps(pilot: Pilot[int], app: TopApp) -> None:
        await pilot.press("4", "slash", *"repo", "enter")
        assert [r.split()[0] for r in rows_of(app) if r] == ["GROUP", ">reports"]
        assert "/repo (1 of 2)" in text_of(app, "where")
        await pilot.press("escape")
        assert len([r for r in rows_of(app) if r]) == 3

    drive(TopApp(two_groups()), steps)


def test_s_sorts_by_every_column_in_turn_and_shows_by_which() -> None:
    async def steps(pilot: Pilot[int], app: TopApp) -> None:
        await pilot.press("4", "s")
        assert rows_of(app)[0].startswith(" ▲GROUP")
        await pilot.press("S")
        assert rows_of(app)[0].startswith(" ▼GROUP")
        assert rows_of(app)[1].startswith(">reports")
        await pilot.press("s", "s")
        assert "▼LAG" in rows_of(app)[0]

    drive(TopApp(two_groups()), steps)


def test_the_cursor_stays_on_its_group_when_a_round_reorders_the_rows() -> None:
    source = two_groups()

    async def steps(pilot: Pilot[int], app: TopApp) -> None:
        await pilot.press("4", "down")
        source.view = view(group("billing", "STALL", 61), group("reports", "STOP", 9))
        source.heard()
        await pilot.pause()
        assert rows_of(app)[1].startswith(">reports")
        source.view = view(group("billing"))
        source.heard()
        await pilot.pause()
        assert rows_of(app)[1].startswith(">billing")

    drive(TopApp(source), steps)


def test_a_round_that_failed_leaves_the_rows_and_says_stale() -> None:
    source = two_groups()

    async def steps(pilot: Pilot[int], app: TopApp) -> None:
        source.view = replace(source.view, error=NotAsked("cluster", "Silent", "no answer"))
        source.heard()
        await pilot.pause()
        first = text_of(app, "verdict").splitlines()[0]
        assert first.startswith("STALE, all of this is ") and first.endswith(": no answer")
        assert rows_of(app)[1].startswith(">billing")

    drive(TopApp(source), steps)


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("size", [(80, 24), (20, 6)])
def test_a_hostile_name_is_text_and_no_more_on_every_page(name: str, size: tuple[int, int]) -> None:
    source = MadeSource(view(group(name, "STOP", 5)))
    source.lag_rows = [lag_row(name, 0)]
    source.value = name.encode("utf-8", "replace")

    async def steps(pilot: Pilot[int], app: TopApp) -> None:
        await pilot.press("enter")
        for _ in range(3):
            await settled(pilot, app)
            shown = [text_of(app, "where"), *rows_of(app)]
            assert not [c for line in shown for c in line if ord(c) < 32 or c == "\u202e"]
            assert "\x1b[31m" not in app.export_screenshot()
            if name.startswith("[") and size[0] == 80:
                assert "[red]x[/red]" in text_of(app, "where") + "".join(shown)
            await pilot.press("c", "enter")
        assert app.is_running

    drive(TopApp(source), steps, size)


def test_the_command_with_the_same_answer_is_quoted() -> None:
    source = MadeSource(view(group("my group; rm", "STOP", 5)))

    async def steps(pilot: Pilot[int], app: TopApp) -> None:
        await pilot.press("enter", "c")
        assert text_of(app, "foot") == ("pko groups lag 'my group; rm' --partitions -b b1:9092")

    drive(TopApp(source), steps)


def test_r_asks_now_and_q_ends() -> None:
    source = two_groups()

    async def steps(pilot: Pilot[int], app: TopApp) -> None:
        await pilot.press("r")
        assert source.hurried == 1
        await pilot.press("q")
        assert app.return_code == 0

    drive(TopApp(source), steps)


def test_nothing_can_be_changed_without_actions() -> None:
    async def steps(pilot: Pilot[int], app: TopApp) -> None:
        await pilot.press("e")
        assert text_of(app, "foot") == READ_ONLY
        await pilot.press("escape", *"4", "enter", "m")
        assert text_of(app, "foot") == READ_ONLY

    drive(TopApp(two_groups(), None, ViewPlace("topic", "orders")), steps)


def test_an_action_waits_for_its_subject_to_be_typed() -> None:
    desk, source = MadeDesk(), two_groups()

    async def steps(pilot: Pilot[int], app: TopApp) -> None:
        async def asked() -> None:
            while not isinstance(app.screen, ConfirmPlan):
                await pilot.pause(0.01)
            await pilot.pause()

        await pilot.press("e")
        await asked()
        await pilot.press("enter")
        await pilot.press(*"order", "enter")
        assert isinstance(app.screen, ConfirmPlan)
        await pilot.press("escape")
        await settled(pilot, app)
        assert (desk.plan.done, text_of(app, "foot")) == (0, "nothing was done")
        await pilot.press("e")
        await asked()
        app.screen.query_one(Input).value = "orders"
        await pilot.press("enter")
        await settled(pilot, app)
        assert (desk.plan.done, text_of(app, "foot")) == (1, "1 leader elected")
        assert source.hurried == 1

    drive(TopApp(source, desk, ViewPlace("topic", "orders")), steps)


def test_a_seek_is_planned_from_words_and_its_refusal_told() -> None:
    desk = MadeDesk(PkoError("it has 1 member (Stable): stop it first"))

    async def steps(pilot: Pilot[int], app: TopApp) -> None:
        await pilot.press("m", *"earliest", "enter")
        await settled(pilot, app)
        assert desk.words == "earliest"
        assert text_of(app, "foot").startswith("it has 1 member")

    drive(TopApp(two_groups(), desk, ViewPlace("group", "billing")), steps)


def test_a_terminal_may_change_its_size() -> None:
    async def steps(pilot: Pilot[int], app: TopApp) -> None:
        for width, height in ((200, 50), (10, 4), (80, 24)):
            await pilot.resize_terminal(width, height)
            await pilot.pause()
            assert rows_of(app)[0].lstrip().startswith("GROUP"[: max(1, width - 6)])

    drive(TopApp(two_groups()), steps)


def test_a_low_terminal_keeps_room_for_rows() -> None:
    partitions = [Placed("orders", n, 1, (1, 7 + n), (1,), 1) for n in range(9)]
    source = MadeSource(view(group("billing", "STALL", 61), partitions=partitions))

    async def steps(pilot: Pilot[int], app: TopApp) -> None:
        for size in ((40, 10), (30, 12), (80, 24)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            await pilot.pause()
            region = app.rows.region
            assert region.height >= 2
            assert region.bottom < size[1]
            assert rows_of(app)[1].startswith(">billing")

    drive(TopApp(source), steps)


def test_without_colour_the_words_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    async def steps(pilot: Pilot[int], app: TopApp) -> None:
        assert app.no_color
        assert "STALL" in rows_of(app)[1]

    drive(TopApp(two_groups()), steps)


def test_a_key_draws_no_more_than_the_rows_in_sight(monkeypatch: pytest.MonkeyPatch) -> None:
    source = MadeSource(view(*(group(f"group-{n:05}", "STOP", n) for n in range(2000))))
    drawn = 0

    def counted(text: str, width: int, *, right: bool = False) -> str:
        nonlocal drawn
        drawn += 1
        return fitted(text, width, right=right)

    monkeypatch.setattr(rows, "fitted", counted)

    async def steps(pilot: Pilot[int], app: TopApp) -> None:
        nonlocal drawn
        await pilot.press("4")
        await pilot.pause()
        for key in ("down", "end", "s"):
            drawn = 0
            await pilot.press(key)
            await pilot.pause()
            assert 0 < drawn < 3 * 24 * len(GROUPS), key

    drive(TopApp(source), steps)


@pytest.mark.measured
def test_keys_are_handled_soon_among_ten_thousand_groups() -> None:
    """CPU time of the better of several rounds: only rows in sight are drawn."""
    source = MadeSource(view(*(group(f"group-{n:05}", "STOP", n) for n in range(10_000))))

    async def steps(pilot: Pilot[int], app: TopApp) -> None:
        await pilot.press("4")
        spent: dict[str, list[float]] = {}
        for _ in range(3):
            for key in ("down", "pagedown", "end", "home", "s", "S"):
                began = time.process_time()
                await pilot.press(key)
                await pilot.pause()
                spent.setdefault(key, []).append(time.process_time() - began)
        least = {key: round(1000 * min(times)) for key, times in spent.items()}
        print("ms of CPU by key:", least)
        assert max(least.values()) < 100
        assert "10000" in text_of(app, "where")

    drive(TopApp(source), steps)


def test_facts_that_come_when_the_screen_is_gone_are_drawn_nowhere() -> None:
    app = TopApp(MadeSource(view()))

    async def steps(pilot: Pilot[int], _: TopApp) -> None:
        await app.screen.remove_children()
        app._draw()
        app._draw_head()
        assert not app.screen.query(Static)

    drive(app, steps)
