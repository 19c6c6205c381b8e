"""Tables on narrow terminals: of every command, with long names and large numbers."""

import ast
import importlib
import io
import pkgutil
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pykafka_ops.commands
from pykafka_ops.commands.framework.grid import Grid, width
from pykafka_ops.commands.framework.output import Column, Table, write
from tests.support.each import each

OFFSET = 9_223_372_036_854_775_807
TOPIC = "payments." + "europe-west." * 15 + "v1"
ID = "O4-uZOmUoh4mbMEr0PSejg"
TEXTS: Sequence[object] = (
    "orders", "localhost:9092", "Stable", TOPIC, ID, [1, 2, 3], list(range(1000, 1030)),
    "retention.ms=604800000,segment.bytes=1073741824,cleanup.policy=compact",
    "a sentence of quite a few words, which says what is wrong and what to do", "",
)  # fmt: skip
UNBROKEN = re.compile(r"[^,; ]*[,;]*")
SEPARATORS = re.compile(r"[,; ]+")


def shapes() -> list[tuple[Column, ...]]:
    """The columns of every table that a module of a command declares."""
    found: dict[tuple[str, ...], tuple[Column, ...]] = {}
    for module in pkgutil.walk_packages(pykafka_ops.commands.__path__, "pykafka_ops.commands."):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, tuple) and value and all(isinstance(c, Column) for c in value):
                found[tuple(c.key for c in value)] = value
    return list(found.values())


SHAPES = shapes()


class Terminal(io.StringIO):
    """What is written to a terminal."""

    def isatty(self) -> bool:
        return True


def drawn(grid: Grid) -> list[str]:
    lines = [*grid.head(), *(line for row in grid.rows for line in grid.row(row))]
    return ["".join(piece.text for piece in line).rstrip() for line in lines]


def unbroken(cells: Sequence[str], lines: Sequence[str], room: int) -> None:
    """Each number, name and id is in one line, and only one that cannot fit makes a line longer."""
    seen = {token for line in lines for token in SEPARATORS.split(line)}
    tokens = {token for text in cells for token in SEPARATORS.split(text)}
    assert tokens <= seen | {""}
    for line in lines:
        assert width(line) <= room or max(map(width, UNBROKEN.findall(line))) > room, line


MADE_IN = (*pykafka_ops.commands.__path__, "framework", "output.py")
"""Where functions may make columns: what builds them for all."""


def test_every_command_with_a_table_is_looked_at() -> None:
    """Columns are constants of a module, where they are found: no function makes its own."""
    assert len(SHAPES) > 60
    found = []
    for path in Path(MADE_IN[0]).rglob("*.py"):
        if path == Path(*MADE_IN):
            continue
        for function in ast.walk(ast.parse(path.read_text())):
            if isinstance(function, ast.FunctionDef):
                calls = [c.func for c in ast.walk(function) if isinstance(c, ast.Call)]
                names = {f.id for f in calls if isinstance(f, ast.Name)}
                found += [f"{path}: {function.name}"] if names & {"Column", "numbers"} else []
    assert not found


@pytest.mark.parametrize("room", [60, 80, 120])
@each("columns", SHAPES, lambda c: "-".join(x.key for x in c))
def test_no_table_breaks_a_number_or_a_name(
    columns: tuple[Column, ...], room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(room))
    monkeypatch.setenv("NO_COLOR", "1")
    for turn in range(len(TEXTS)):
        rows = [
            {
                c.key: OFFSET // 10 ** (n * row)
                if c.right
                else TEXTS[(n + turn * row) % len(TEXTS)]
                for n, c in enumerate(columns)
            }
            for row in range(3)
        ]
        for form in ("table", "wide"):
            out = Terminal()
            write(Table("t", columns, rows), form, flags=False, out=out)
            shown = [c for c in columns if not c.spare and not c.optional]
            shown = [c for c in shown if form == "wide" or not c.wide]
            cells = [str(row[c.key]) for row in rows for c in shown if c.right]
            unbroken(cells, out.getvalue().splitlines(), room)


names = st.text("abc-._", min_size=1, max_size=90)
texts = names | st.lists(names, max_size=6).map(",".join) | st.lists(names).map(" ".join)
numbers = st.integers(-1, OFFSET).map(str)


@given(st.data(), st.integers(20, 140))
def test_no_cell_is_lost_or_broken_at_any_width(data: st.DataObject, room: int) -> None:
    right = data.draw(st.lists(st.booleans(), min_size=1, max_size=9))
    titles = [data.draw(st.sampled_from(["A", "TOPIC", "CURRENT-OFFSET"])) for _ in right]
    row = st.tuples(*(numbers if number else texts for number in right))
    rows = data.draw(st.lists(row, min_size=1, max_size=5))
    grid = Grid(titles, right, rows, room)
    unbroken([text for row in rows for text in row], drawn(grid), room)


@given(st.lists(st.tuples(texts, numbers), min_size=1))
def test_nothing_is_cut_or_moved_where_there_is_no_terminal(
    rows: list[tuple[str, str]],
) -> None:
    lines = drawn(Grid(["TOPIC", "N"], [False, True], rows))
    assert len(lines) == len(rows) + 1
    assert len({len(line) for line in lines}) == 1
    for (text, number), line in zip(rows, lines[1:], strict=True):
        assert line.startswith(text)
        assert line.endswith(f" {number}")


def test_one_long_name_has_a_line_of_its_own() -> None:
    rows = [["orders", "1", "up"], [TOPIC, "20", "up"], ["stock", "300", "down"]]
    assert drawn(Grid(["TOPIC", "LAG", "STATE"], [False, True, False], rows, 40)) == [
        "TOPIC   LAG  STATE",
        "orders    1  up",
        TOPIC,
        "         20  up",
        "stock   300  down",
    ]


def test_lists_go_on_below_themselves_and_headings_break_at_hyphens() -> None:
    rows = [["orders", "1", "retention.ms=1,segment.bytes=2"], ["x", "2", "-"]]
    assert drawn(Grid(["TOPIC", "IN-SYNC-N", "CONFIGS"], [False, True, False], rows, 30)) == [
        "TOPIC     IN-  CONFIGS",
        "        SYNC-",
        "            N",
        "orders      1  retention.ms=1,",
        "               segment.bytes=2",
        "x           2  -",
    ]


def test_columns_stand_closer_where_that_keeps_names_in_their_lines() -> None:
    rows = [["0", "localhost:9092", "7"], ["1", "localhost:9093", "8"]]
    titles, right = ["BROKER", "ADDRESS", "LEADERS"], [True, False, True]
    assert drawn(Grid(titles, right, rows, 29)) == [
        "BROKER ADDRESS        LEADERS",
        "     0 localhost:9092       7",
        "     1 localhost:9093       8",
    ]
    assert drawn(Grid(titles, right, rows, 31))[0] == "BROKER  ADDRESS         LEADERS"


def test_each_row_is_a_list_where_numbers_do_not_fit() -> None:
    rows = [["orders", str(OFFSET), str(OFFSET)]]
    assert drawn(Grid(["TOPIC", "FIRST", "LAST"], [False, True, True], rows, 40)) == [
        "TOPIC  orders",
        "FIRST  9223372036854775807",
        "LAST   9223372036854775807",
    ]


def test_control_characters_of_a_name_reach_no_terminal() -> None:
    out = Terminal()
    write(
        Table("t", (Column("group"),), [{"group": "a\x1b[2Jb\nc"}]), "table", flags=False, out=out
    )
    assert out.getvalue().endswith("a�[2Jb�c\n")
