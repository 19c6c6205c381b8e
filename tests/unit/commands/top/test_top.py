"""``pko top`` on command lines that cannot be meant, and the words of its actions."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import pytest

from pykafka_ops.commands.top.desk import _args
from tests.support.golden.transcripts import Said

Pko = Callable[..., Said]


@pytest.fixture(autouse=True)
def servers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PKO_BOOTSTRAP_SERVER", "127.0.0.1:1")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("top", "pko top needs a terminal"),
        ("top --every 10ms", "500ms at least"),
        ("top --group a --topic b", "not both"),
        ("top --every x", "no length of time"),
    ],
)
def test_a_line_says_what_is_wrong(pko: Pko, line: str, told: str) -> None:
    said = pko(line)
    assert (said.code, said.stdout) == (2, "")
    assert told in said.stderr
    assert said.stderr.count("\n") == 1


def test_without_textual_a_line_says_what_to_install(
    pko: Pko, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.util.find_spec

    def missing(name: str, *rest: Any) -> object:
        return None if name == "textual" else found(name, *rest)

    monkeypatch.setattr("pykafka_ops.commands.top.run.find_spec", missing)
    said = pko("top")
    assert (said.code, said.stdout) == (2, "")
    assert said.stderr == "pko: pko top needs textual: pip install 'pykafka-ops[top]'\n"


def test_words_of_a_seek_mean_the_options_of_groups_seek() -> None:
    meant = {w: _args("g", w).values for w in ("earliest", "+5", "-5", "17", "2h", "latest a:0 b")}
    every: dict[str, list[object]] = {"group": ["g"], "all-topics": []}
    assert meant == {
        "earliest": {**every, "to-earliest": []},
        "+5": {**every, "shift-by": ["5"]},
        "-5": {**every, "shift-by": ["-5"]},
        "17": {**every, "to-offset": ["17"]},
        "2h": {**every, "to-datetime": ["2h"]},
        "latest a:0 b": {"group": ["g"], "to-latest": [], "topic": ["a:0", "b"]},
    }
