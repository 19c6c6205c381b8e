"""What a terminal gets: questions and colours, on a pseudo terminal."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.commands.framework.output import Column, Table, write
from pykafka_ops.wire.messages.delete_topics import DeletableTopicResult, DeleteTopicsResponse
from tests.support.memory.client_clock import patient
from tests.support.memory.fake_broker import FakeBroker

ROOT = Path(__file__).resolve().parents[4]
ANSI = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


@pytest.fixture
def broker() -> Iterator[FakeBroker]:
    made = FakeBroker()
    made.topics = {"orders": [0], "lost": [-1]}

    def deleted(request: Any) -> DeleteTopicsResponse:
        names = [t.name for t in request.topics]
        return DeleteTopicsResponse(responses=[DeletableTopicResult(name=n) for n in names])

    made.on("DeleteTopics", deleted)
    yield made
    made.close()


@pytest.fixture
def terminal(tmp_path: Path) -> Callable[..., tuple[int, str]]:
    """Run pko on a pseudo terminal with ``answer`` typed in; exit code and what was shown."""

    def call(*argv: str, answer: str = "", columns: int = 80, **env: str) -> tuple[int, str]:
        main, side = pty.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        known = {name: text for name, text in os.environ.items() if name != "COLUMNS"}
        child = subprocess.Popen(
            [sys.executable, "-m", "pykafka_ops", *argv],
            stdin=side, stdout=side, stderr=side, cwd=ROOT, close_fds=True,
            env={**known, **patient(tmp_path), "XDG_CONFIG_HOME": str(tmp_path),
                 "TERM": "xterm", **env},
        )  # fmt: skip
        os.close(side)
        if answer:
            os.write(main, answer.encode())
        shown = b""
        while True:
            try:
                got = os.read(main, 4096)
            except OSError:
                break
            if not got:
                break
            shown += got
        os.close(main)
        return child.wait(), shown.decode().replace("\r\n", "\n")

    return call


def test_a_destructive_verb_asks_and_takes_no_for_an_answer(
    broker: FakeBroker, terminal: Callable[..., tuple[int, str]]
) -> None:
    argv = ("topics", "delete", "orders", "-b", broker.bootstrap)
    code, shown = terminal(*argv, answer="n\n")
    assert code == 1
    assert "delete 1 topic with all records: orders" in shown
    assert "Go on? [y/N]" in shown
    assert "nothing was deleted" in shown
    assert broker.asked("DeleteTopics") == []
    code, shown = terminal(*argv, answer="\n")
    assert (code, broker.asked("DeleteTopics")) == (1, [])
    code, shown = terminal(*argv, answer="y\n")
    assert code == 0
    assert len(broker.asked("DeleteTopics")) == 1


def test_a_terminal_gets_a_table_with_trouble_in_red(
    broker: FakeBroker, terminal: Callable[..., tuple[int, str]]
) -> None:
    code, shown = terminal("topics", "list", "-b", broker.bootstrap, NO_COLOR="")
    assert code == 0
    assert re.search(r"\x1b\[31m *1\x1b", shown)
    assert [line.split() for line in ANSI.sub("", shown).splitlines()] == [
        ["TOPIC", "PARTITIONS", "REPLICAS", "OFFLINE"],
        ["lost", "1", "1", "1"],
        ["orders", "1", "1", "0"],
    ]


def test_no_color_is_honoured(broker: FakeBroker, terminal: Callable[..., tuple[int, str]]) -> None:
    _, shown = terminal("topics", "list", "-b", broker.bootstrap, NO_COLOR="1")
    assert "\x1b[31m" not in shown


LONG = "a-topic-with-a-name-that-is-longer-than-a-narrow-terminal"


@pytest.mark.parametrize(("columns", "said"), [(40, ""), (200, "40")])
def test_a_name_longer_than_the_terminal_is_whole_and_widens_nothing(
    broker: FakeBroker, terminal: Callable[..., tuple[int, str]], columns: int, said: str
) -> None:
    broker.topics = {LONG: [0], "orders": [0, 0]}
    _, shown = terminal("topics", "list", "-b", broker.bootstrap, columns=columns, COLUMNS=said)
    assert ANSI.sub("", shown).splitlines() == [
        "TOPIC   PARTITIONS  REPLICAS",
        LONG,
        "                 1         1",
        "orders           2         1",
    ]


def test_a_wide_terminal_is_used(
    broker: FakeBroker, terminal: Callable[..., tuple[int, str]]
) -> None:
    broker.topics = {LONG * 2: [0]}
    _, shown = terminal("topics", "list", "-b", broker.bootstrap, columns=160)
    assert ANSI.sub("", shown).splitlines()[1].split() == [LONG * 2, "1", "1"]


def test_what_can_be_spared_goes_before_cells_are_folded(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    columns = [Column("name"), Column("one", spare=True), Column("two", spare=True), Column("rest")]
    table = Table("things", columns, [{"name": "n", "one": 1, "two": 2, "rest": "r"}])
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    seen = []
    for room in (20, 16, 13, 12):  # NAME  ONE  TWO  REST, in the end with one space
        monkeypatch.setenv("COLUMNS", str(room))
        write(table, "table", flags=False)
        seen.append(ANSI.sub("", capsys.readouterr().out).split("\n")[0].split())
    both, first = ["NAME", "ONE", "TWO", "REST"], ["NAME", "ONE", "REST"]
    assert seen == [both, first, first, ["NAME", "REST"]]
    monkeypatch.setenv("COLUMNS", "16")
    write(table, "wide", flags=False)
    assert "TWO" in capsys.readouterr().out


def test_json_on_a_terminal_is_indented(
    broker: FakeBroker, terminal: Callable[..., tuple[int, str]]
) -> None:
    _, shown = terminal("topics", "list", "-b", broker.bootstrap, "-o", "json")
    assert shown.startswith('{\n  "kind": "topics",\n')
