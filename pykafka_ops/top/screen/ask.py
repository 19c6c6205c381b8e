"""Questions over the page: a line to type, and a plan that wants its subject's name."""

from __future__ import annotations

from typing import ClassVar, Final

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from pykafka_ops.errors import PkoError
from pykafka_ops.monitor.wording.text import safe
from pykafka_ops.top.screen.rows import RowList
from pykafka_ops.top.source import Plan
from pykafka_ops.top.table import Order

ASKING: Final = "asking ..."
MOST: Final = 300
"""Characters that may be typed."""


class AskLine(ModalScreen[str | None]):
    """One line; None: Esc."""

    CSS = """
    AskLine { align: center bottom; background: transparent; }
    AskLine Vertical { height: 3; border-top: solid; }
    AskLine Input { border: none; height: 1; padding: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", show=False)]

    def __init__(self, question: str, value: str = "") -> None:
        super().__init__()
        self.question, self.value = question, value

    def compose(self) -> ComposeResult:
        """A question, and where to type."""
        with Vertical():
            yield Static(Text(self.question, no_wrap=True, overflow="ellipsis"))
            yield Input(self.value, max_length=MOST, select_on_focus=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter."""
        self.dismiss(event.value)

    def action_leave(self) -> None:
        """Esc."""
        self.dismiss(None)


class ConfirmPlan(ModalScreen[bool]):
    """What an action would change; it is done once the name of its subject was typed."""

    CSS = """
    ConfirmPlan { layout: vertical; }
    ConfirmPlan Static { height: auto; }
    ConfirmPlan RowList { height: 1fr; }
    ConfirmPlan Input { border: none; height: 1; padding: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", show=False),
        Binding("pageup", "page(-1)", show=False, priority=True),
        Binding("pagedown", "page(1)", show=False, priority=True),
    ]

    def __init__(self, plan: Plan) -> None:
        super().__init__()
        self.plan = plan

    def compose(self) -> ComposeResult:
        """The plan, the question, and where to type the name."""
        yield Static(Text(self.plan.page.title, style="bold"))
        for line in self.plan.page.lines:
            yield Static(Text(line.text))
        yield RowList()
        yield Static(Text(f"{self.plan.question} Type its name to go on, Esc to leave it:"))
        yield Static(Text(safe(self.plan.subject), style="bold"))
        yield Input(max_length=MOST)
        yield Static(Text(""), id="no")

    def on_mount(self) -> None:
        """Show the plan."""
        page = self.plan.page
        rows = self.query_one(RowList)
        rows.can_focus = False
        rows.show(page.columns, page.entries, Order(), page.empty)
        self.query_one(Input).focus()

    def action_page(self, by: int) -> None:
        """Leaf through the plan."""
        self.query_one(RowList).action_page(by)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter: the name, as it is or as it is shown, or nothing happens."""
        if event.value in (self.plan.subject, safe(self.plan.subject)):
            self.dismiss(True)
        else:
            self.query_one("#no", Static).update(Text("that is another name: nothing was done"))

    def action_leave(self) -> None:
        """Esc."""
        self.dismiss(False)


def in_words(error: Exception) -> str:
    """An error in one line."""
    return " ".join(str(error).split()) if isinstance(error, PkoError) else type(error).__name__
