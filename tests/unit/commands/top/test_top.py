"""``pko top`` on command lines that cannot be meant, and the words of its actions."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import pytest

from pykafka_ops.commands.top.desk import _args
from pykafka_ops.commands.top.run import _chosen
from pykafka_ops.errors import UsageError
from tests.support.golden.transcripts import Said

Pko = Callable[..., Said]


@pytest.fixture(autouse=True)
def servers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PKO_BOOTSTRAP_SERVER", "127.0.0.1:1")


@pytest.mark.parametrize(
    ("line", "heard"),
    [
        ("top", "pko top needs a terminal"),
        ("top --every 10ms", "500ms at least"),
        ("top --group a --topic b", "not both"),
        ("top --every x", "not a length of time"),
        ("top --cluster a", "--cluster is for --monitor"),
        ("top --token-file a", "--token-file is for --monitor"),
        ("top --monitor localhost:8000", "write http://HOST:PORT"),
        ("top --monitor http://a:1 --token-file /no/such", "/no/such: No such file"),
    ],
)
def test_a_line_says_what_is_wrong(pko: Pko, line: str, heard: str) -> None:
    said = pko(line)
    assert (said.code, said.stdout) == (2, "")
    assert heard in said.stderr
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


def test_a_monitor_that_does_not_answer_is_told_in_a_line(pko: Pko) -> None:
    said = pko("top --monitor http://127.0.0.1:1")
    assert (said.code, said.stdout) == (3, "")
    assert said.stderr.startswith("pko: the monitor at http://127.0.0.1:1 does not answer: ")
    assert said.stderr.count("\n") == 1


def test_actions_on_a_monitor_need_the_brokers(pko: Pko, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PKO_BOOTSTRAP_SERVER")
    said = pko("top --monitor http://127.0.0.1:1 --actions")
    assert (said.code, said.stdout) == (2, "")
    assert "say with -b" in said.stderr


@pytest.mark.parametrize(
    ("clusters", "wanted", "heard"),
    [
        (["prod", "dev"], None, "watches prod, dev: which one"),
        (["prod", "dev"], "prd", r"no prd \(did you mean prod\?\)"),
        ([], None, "which one"),
    ],
)
def test_which_cluster_of_the_monitor_must_be_clear(
    clusters: list[str], wanted: str | None, heard: str
) -> None:
    with pytest.raises(UsageError, match=heard):
        _chosen(clusters, wanted)


def test_the_only_cluster_of_a_monitor_need_not_be_named() -> None:
    assert _chosen(["prod"], None) == "prod"
    assert _chosen(["prod", "dev"], "dev") == "dev"


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
