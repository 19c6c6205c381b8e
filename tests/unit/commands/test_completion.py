"""Completion: what a shell offers for a line that is being typed."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from pykafka_ops.commands import ROWS
from pykafka_ops.commands.framework.live import COMPLETE
from pykafka_ops.commands.root import PKO
from tests.support.golden.transcripts import run
from tests.support.memory.client_clock import client_clock
from tests.support.memory.fake_broker import FakeBroker

ASK = """
{script}
PATH={folder}:$PATH
COMP_WORDS=({words})
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_pko_completion pko
echo "${{COMPREPLY[@]}}"
"""

PATIENT_PKO = """#!{python}
from pykafka_ops.cli import main
from pykafka_ops.commands.framework import live
live.PATIENCE_MS = "100000"
raise SystemExit(main())
"""


def offered(words: str) -> list[str]:
    """What is offered after these words (the last one is being typed)."""
    *before, last = words.split(" ")[1:]
    return [
        item.value for item in ShellComplete(PKO, {}, "pko", COMPLETE).get_completions(before, last)
    ]


@pytest.fixture
def broker(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[FakeBroker]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    made = FakeBroker()
    made.topics = {"orders": [0], "users": [0]}
    with client_clock():
        yield made
    made.close()


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("pko topi", ["topics"]),
        ("pko topics de", ["describe", "delete"]),
        ("pko topics list --ou", ["--output"]),
        ("pko topics list -o j", ["json"]),
        ("pko log-dirs describe --by par", ["partition"]),
        ("pko completion z", ["zsh"]),
        ("pko get-offsets --ti", ["--time", "--timeout"]),
        ("pko kafka-topics --topic-", ["--topic-id"]),
        ("pko groups lag --al", ["--all-groups"]),
        ("pko log-dirs describe --bro", ["--broker"]),
        ("pko kafka-log-dirs --bro", ["--broker-list"]),
        ("pko topics list --he", ["--help"]),
    ],
)
def test_words_options_and_choices_are_offered(words: str, names: list[str]) -> None:
    assert offered(words) == names


def test_every_command_is_offered() -> None:
    assert set(offered("pko ")) == {row.name for row in ROWS}


def test_names_come_from_the_cluster_and_are_kept_for_a_minute(broker: FakeBroker) -> None:
    line = f"pko topics describe -b {broker.bootstrap} "
    assert offered(line) == ["orders", "users"]
    assert offered(f"{line}us") == ["users"]
    broker.topics = {}
    assert offered(line) == ["orders", "users"]
    assert offered(f"pko configs describe -b {broker.bootstrap} --broker ") == []
    assert offered(f"pko transactions find-hanging -b {broker.bootstrap} --broker-id ") == ["0"]


def test_a_cluster_that_does_not_answer_offers_nothing(broker: FakeBroker) -> None:
    assert offered("pko topics describe -b 127.0.0.1:1 o") == []


def test_bash_asks_pko_and_shows_the_answer(broker: FakeBroker, tmp_path: Path) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    pko = folder / "pko"
    pko.write_text(PATIENT_PKO.format(python=sys.executable))
    pko.chmod(0o755)
    script = run("completion", "bash").stdout
    words = f"pko topics describe -b {broker.bootstrap} or"
    text = ASK.format(script=script, folder=folder, words=words)
    done = subprocess.run(["bash", "-c", text], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert done.stdout.split() == ["orders"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_is_printed_for_each_shell(shell: str) -> None:
    said = run("completion", shell)
    assert said.code == 0
    assert f"{COMPLETE}={shell}_complete" in said.stdout
