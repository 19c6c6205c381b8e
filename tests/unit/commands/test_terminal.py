"""What a terminal gets: questions and colours, on a pseudo terminal."""

import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.wire.messages.delete_topics import DeletableTopicResult, DeleteTopicsResponse
from tests.support.fake_broker import FakeBroker

ROOT = Path(__file__).resolve().parents[3]
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

    def call(*argv: str, answer: str = "", **env: str) -> tuple[int, str]:
        main, side = pty.openpty()
        child = subprocess.Popen(
            [sys.executable, "-m", "pykafka_ops", *argv],
            stdin=side, stdout=side, stderr=side, cwd=ROOT, close_fds=True,
            env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path), "TERM": "xterm", "COLUMNS": "80",
                 **env},
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


def test_a_narrow_terminal_gets_folded_cells_and_nothing_lost(
    broker: FakeBroker, terminal: Callable[..., tuple[int, str]]
) -> None:
    name = "a-topic-with-a-name-that-is-longer-than-a-narrow-terminal"
    broker.topics = {name: [0]}
    _, shown = terminal("topics", "list", "-b", broker.bootstrap, COLUMNS="40")
    plain = ANSI.sub("", shown)
    assert max(len(line) for line in plain.splitlines()) <= 40
    assert name in "".join(line.split(" ")[0] for line in plain.splitlines())


def test_json_on_a_terminal_is_indented(
    broker: FakeBroker, terminal: Callable[..., tuple[int, str]]
) -> None:
    _, shown = terminal("topics", "list", "-b", broker.bootstrap, "-o", "json")
    assert shown.startswith('{\n  "kind": "topics",\n')
