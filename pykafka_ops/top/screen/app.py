"""``pko top``: pages of a cluster by keys. Rules are in the pages; here is when they are drawn."""

from __future__ import annotations

import asyncio
import shlex
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from typing import ClassVar, Final

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Static

from pykafka_ops.errors import PkoError
from pykafka_ops.monitor.wording.line import DIM, Line
from pykafka_ops.monitor.wording.text import moment, safe, span
from pykafka_ops.monitor.wording.verdict import staleness, verdict
from pykafka_ops.top.pages.every import VIEWS, page_of, place_of
from pykafka_ops.top.records import MOST
from pykafka_ops.top.screen.ask import ASKING, AskLine, ConfirmPlan, in_words
from pykafka_ops.top.screen.rows import STYLES, RowList
from pykafka_ops.top.seen import SeenCluster
from pykafka_ops.top.source import Desk, Plan, Source
from pykafka_ops.top.table import Order, Page, ViewPlace, matching, next_order, ordered

READ_ONLY: Final = "read-only: start it with pko top --actions to change something"
HINT: Final = "1-6 views  : go to  Enter in  Esc back  / filter  s sort  c command  ? keys  q quit"
LOW: Final = 16
"""Lines of a terminal with room for rows alone: every other line is cut where it is too long."""
TICK: Final = 1.0  # seconds between looks at the age of the view
_QUIT: Final = frozenset(["q", "q!", "quit", "exit"])


class TopApp(App[int]):
    """A stack of places; the last one is shown. ``desk`` None: nothing can be changed."""

    CSS = """
    Screen { layout: vertical; overflow: hidden; }
    Static { height: auto; text-overflow: ellipsis; }
    #head, #where, #foot { height: 1; }
    #verdict { max-height: 4; }
    #lines { max-height: 40%; }
    RowList { height: 1fr; min-height: 2; }
    """
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(str(n), f"view('{v}')", show=False) for n, v in enumerate(VIEWS, 1)),
        Binding("colon", "go_to", show=False),
        Binding("slash", "filter", show=False),
        Binding("s", "sort", show=False),
        Binding("S", "reverse", show=False),
        Binding("r", "hurry", show=False),
        Binding("c", "command", show=False),
        Binding("question_mark", "view('help')", show=False),
        Binding("escape", "up", show=False),
        Binding("n", "leaf('next')", show=False),
        Binding("p", "leaf('before')", show=False),
        Binding("left_square_bracket", "leaf('first')", show=False),
        Binding("right_square_bracket", "leaf('newest')", show=False),
        Binding("o", "offset", show=False),
        Binding("e", "elect", show=False),
        Binding("m", "seek", show=False),
        Binding("q", "leave", show=False),
        Binding("ctrl+c", "leave", show=False, priority=True),
    ]

    class Heard(Message):
        """A round of the source has ended."""

    def __init__(self, source: Source, desk: Desk | None = None, start: ViewPlace | None = None):
        super().__init__(ansi_color=True)
        self.source, self.desk = source, desk
        first = ViewPlace("overview")
        self.places = [first] if start is None or start == first else [first, start]
        self.orders: dict[str, Order] = {}
        self.cursors: list[int] = []
        self.wanted = ""
        self.seen = SeenCluster(source.view, _now(), source.poll_ms)
        self.page: Page = page_of(self.seen, self.places[-1])
        self._said = ""

    def compose(self) -> ComposeResult:
        """Lines on top, rows, a line of hints."""
        yield Static(id="head")
        yield Static(id="verdict")
        yield Static(id="where")
        yield Static(id="lines")
        yield RowList()
        yield Static(id="foot")

    def on_mount(self) -> None:
        """Ask, and draw what there is."""
        self.rows.focus()
        self.set_interval(TICK, self._draw_head)
        with suppress(NotImplementedError, RuntimeError, ValueError):  # not the main thread
            add = asyncio.get_running_loop().add_signal_handler
            add(signal.SIGTERM, self.exit, 128 + signal.SIGTERM)
        self.source.start(self._heard)
        self._enter()

    def _heard(self) -> None:  # in the thread of the source
        self.post_message(self.Heard())

    def on_unmount(self) -> None:
        """Ask no more."""
        self.source.stop()

    @property
    def rows(self) -> RowList:
        """The rows of the page."""
        return self.screen_stack[0].query_one(RowList)

    @property
    def place(self) -> ViewPlace:
        """Where one is."""
        return self.places[-1]

    def on_top_app_heard(self) -> None:
        """New facts, on the same page."""
        self._said = "" if self._said == ASKING else self._said
        self._make(keep=True)
        if self.place.view == "group":
            self._load()

    def on_resize(self) -> None:
        """A record is wrapped anew."""
        self.call_after_refresh(self._make, keep=True)

    def _enter(self) -> None:
        """Another place: its rows begin anew."""
        self._said = ""
        self._make(keep=self.place.view == "record")
        if self.place.view in ("group", "messages"):
            self._load()

    def _make(self, *, keep: bool) -> None:
        old = self.seen
        self.seen = SeenCluster(
            self.source.view,
            _now(),
            self.source.poll_ms,
            self.size.width,
            old.rows if keep else None,
            old.records if keep else None,
            old.trouble if keep else "",
        )
        self._draw()

    def _load(self) -> None:
        self.run_worker(self._asked(self.place), exclusive=True, group="load")

    async def _asked(self, place: ViewPlace) -> None:
        """What only this place needs, asked in a thread."""
        rows, records, trouble = None, self.seen.records, ""
        try:
            if place.view == "group":
                rows = await asyncio.to_thread(self.source.rows, place.name)
            else:
                records = await asyncio.to_thread(
                    self.source.records, place.name, place.partition, place.offset
                )
        except PkoError as error:
            trouble = safe(in_words(error))
        if place == self.place:
            self.seen = SeenCluster(
                *(self.source.view, _now(), self.source.poll_ms, self.size.width),
                *(rows, records, trouble),
            )
            self._draw()

    # -- drawing ---------------------------------------------------------------------------------

    def _draw(self) -> None:
        if not self.screen_stack[0].query(RowList):  # it ends
            return
        self.page = page_of(self.seen, self.place)
        order = self.orders.get(self.place.view, Order())
        entries = matching(self.page, ordered(self.page, order), self.wanted)
        hidden = self.wanted and self.page.entries
        empty = f"no row has {safe(self.wanted)}" if hidden else self.page.empty
        self.rows.show(self.page.columns, entries, order, empty)
        room = max(1, self.size.height - 9) if self.size.height < LOW else len(self.page.lines)
        self._put("lines", *self.page.lines[:room])
        where = f"{' > '.join(safe(p.name) or p.view for p in self.places[:-1])} > "
        text = ("" if len(self.places) == 1 else where) + self.page.title
        if self.wanted:
            text += f"  /{safe(self.wanted)} ({len(entries)} of {len(self.page.entries)})"
        self._put("where", Line(text, DIM))
        self._draw_head()

    def _draw_head(self) -> None:
        view = self.source.view
        asked = "asking ..." if view.error is None else "no answer yet"
        if view.at is not None:
            age = span(max(0, _now() - view.at) // 1000)
            asked = f"asked {moment(view.at, date=False)} UTC, {age} ago  controller "
            asked += str(view.controller) if view.controller >= 0 else "-"
        self._put("head", Line(f"pko top  {asked}  {safe(view.name)}"))
        stale = staleness(view, _now(), self.source.poll_ms)
        self._put("verdict", *([stale] if stale else []), verdict(view))
        self._put("foot", Line(self._said or HINT, DIM if not self._said else ""))

    def _put(self, where: str, *lines: Line) -> None:
        """Lines of text, which is never read as markup."""
        cut = where in ("head", "where", "foot") or self.size.height < LOW
        text = Text()
        for n, line in enumerate(lines):
            text.append(("\n" if n else "") + line.text, STYLES[line.tone])
        for static in self.screen_stack[0].query(f"#{where}").results(Static):  # none at the end
            static.styles.text_wrap = "nowrap" if cut else "wrap"
            static.update(text)
            static.display = bool(lines)

    def say(self, text: str) -> None:
        """A line at the foot, until another place is entered."""
        self._said = safe(text)
        self._draw_head()

    # -- keys ------------------------------------------------------------------------------------

    def go(self, place: ViewPlace, *, anew: bool = False) -> None:
        """To a place; ``anew``: Esc leads from there to the overview."""
        if place == self.place:
            return
        first = ViewPlace("overview")
        if anew:
            self.places, self.cursors = [first], [0]
        if place != first:
            self.places.append(place)
            self.cursors = [*self.cursors[: len(self.places) - 2], self.rows.cursor]
        self.wanted = ""
        self.rows.restart()
        self._enter()

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        """Into a row."""
        if event.entry.opens is not None and event.entry.opens != self.place:
            self.go(event.entry.opens)

    def action_view(self, view: str) -> None:
        """One of the views."""
        self.go(ViewPlace(view), anew=view != "help")

    def action_up(self) -> None:
        """Drop the filter, else leave the place."""
        if self.wanted:
            self.wanted = ""
            self._draw()
        elif len(self.places) > 1:
            left = self.places.pop()
            self.rows.restart(self.cursors.pop() if self.cursors else 0)
            if left.view == "record":
                self._make(keep=True)
            else:
                self._enter()

    def action_sort(self) -> None:
        """By the next column."""
        order = self.orders.get(self.place.view, Order())
        self._sort(next_order(self.page, order, self.rows.laid.columns))

    def action_reverse(self) -> None:
        """The other way round."""
        order = self.orders.get(self.place.view, Order())
        self._sort(order._replace(reverse=not order.reverse))

    def _sort(self, order: Order) -> None:
        self.orders[self.place.view] = order
        self.rows.restart()
        self._draw()

    def action_hurry(self) -> None:
        """Ask now."""
        self.source.hurry()
        self.say(ASKING)
        if self.place.view == "messages":
            self._load()

    def action_command(self) -> None:
        """The command with the same answer."""
        words = [*self.page.command, *self.source.command]
        self.say(" ".join(shlex.quote(safe(w)) for w in words))

    def action_leave(self) -> None:
        """The end."""
        self.exit(0)

    def action_go_to(self) -> None:
        """To a place by its name."""

        def answered(text: str | None) -> None:
            if not (text or "").strip():
                return
            if str(text).strip() in _QUIT:
                self.exit(0)
                return
            try:
                self.go(place_of(str(text)), anew=True)
            except PkoError as error:
                self.say(in_words(error))

        self.push_screen(AskLine(f"go to: {', '.join(VIEWS)}, topic NAME, ..."), answered)

    def action_filter(self) -> None:
        """Only rows with a text."""

        def answered(text: str | None) -> None:
            if text is not None:
                self.wanted = text
                self.rows.restart()
                self._draw()

        question = "rows with this text; ! before it: without it"
        self.push_screen(AskLine(question, self.wanted), answered)

    # -- records ---------------------------------------------------------------------------------

    def action_leaf(self, where: str) -> None:
        """To other records; before any are known to the ends alone."""
        page = self.seen.records
        if where in ("first", "newest"):
            self._leaf(0 if where == "first" else -1)
        elif page is not None:
            self._leaf(page.next if where == "next" else max(page.start, page.at - MOST))

    def _leaf(self, offset: int) -> None:
        if self.place.view == "messages":
            self.places[-1] = self.place._replace(offset=offset)
            self.rows.restart()
            self._make(keep=True)
            self._load()

    def action_offset(self) -> None:
        """Records from an offset."""

        def answered(text: str | None) -> None:
            word = (text or "").strip()
            if word.isascii() and word.isdigit() and len(word) < 19:
                self._leaf(int(word))
            elif word:
                self.say(f"{word} is no offset: write a number")

        if self.place.view == "messages":
            self.push_screen(AskLine("from which offset?"), answered)

    # -- actions ---------------------------------------------------------------------------------

    def action_elect(self) -> None:
        """Preferred leaders of the topic at hand."""
        if self.place.view != "topic":
            self.say("e elects the leaders of a topic: go into one")
        elif self.desk is None:
            self.say(READ_ONLY)
        else:
            self.run_worker(
                self._act(self.desk.elect, self.place.name), exclusive=True, group="act"
            )

    def action_seek(self) -> None:
        """Move the offsets of the group at hand."""
        if self.place.view != "group" or self.desk is None:
            here = self.place.view == "group"
            self.say(READ_ONLY if here else "m moves the offsets of a group: go into one")
            return
        group, planner = self.place.name, self.desk.seek

        def answered(words: str | None) -> None:
            if (words or "").strip():
                self.run_worker(self._act(planner, group, str(words)), exclusive=True, group="act")

        self.push_screen(
            AskLine("where to? earliest, latest, OFFSET, +N, -N or a time (2h), then TOPIC[:N]"),
            answered,
        )

    async def _act(self, planner: Callable[..., Plan], *words: str) -> None:
        """Plan it, ask, do it; asked and done in a thread."""
        self.say(ASKING)
        try:
            plan = await asyncio.to_thread(planner, *words)
            if not plan.page.entries:
                self.say(plan.page.empty)
                return
            if not await self.push_screen_wait(ConfirmPlan(plan)):
                self.say("nothing was done")
                return
            self.say(await asyncio.to_thread(plan.run))
            self.source.hurry()
        except PkoError as error:
            self.say(in_words(error))


def _now() -> int:
    return time.time_ns() // 1_000_000
