import subprocess
from pathlib import Path

import pytest

from pykafka_ops.commands import TABLE
from tests.support.golden.transcripts import run
from tests.support.memory.fake_broker import FakeBroker

ASK = """
{script}
pko() {{ echo one two; }}
COMP_WORDS=({words})
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_pko
echo "${{COMPREPLY[@]}}"
"""


@pytest.fixture(scope="module")
def script() -> str:
    return run("completion", "bash").stdout


def ask(script: str, words: str) -> list[str]:
    """What bash offers after these words (the last one is being typed)."""
    text = ASK.format(script=script, words=words)
    done = subprocess.run(["bash", "-c", text], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("pko topi", ["topics"]),
        ("pko topics de", ["describe", "delete"]),
        ("pko topics list --ou", ["--output"]),
        ("pko topics list -o j", ["json"]),
        ("pko log-dirs describe --by par", ["partition"]),
        ("pko topics describe t", ["two"]),
        ("pko completion z", ["zsh"]),
        ("pko get-offsets --ti", ["--time"]),
    ],
)
def test_bash_offers_words_options_choices_and_names(
    script: str, words: str, offered: list[str]
) -> None:
    assert ask(script, words) == offered


def test_bash_offers_every_command(script: str) -> None:
    assert {row[0] for row in TABLE} <= set(ask(script, "pko ''"))


def test_bash_offers_files_where_a_file_is_wanted(script: str, tmp_path: Path) -> None:
    (tmp_path / "client.properties").touch()
    offered = ask(f"cd {tmp_path}\n{script}", "pko topics list --command-config cl")
    assert offered == ["client.properties"]


def test_zsh_and_fish_scripts_name_every_command() -> None:
    for shell in ("zsh", "fish"):
        said = run("completion", shell)
        assert said.code == 0
        assert all(row[0] in said.stdout for row in TABLE)


def test_names_come_from_the_cluster_and_are_kept_for_a_minute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    broker = FakeBroker()
    broker.topics = {"orders": [0], "users": [0]}
    try:
        assert run("completion", "values", "topics", "-b", broker.bootstrap).stdout == (
            "orders\nusers\n"
        )
        broker.topics = {}
        again = run("completion", "values", "topics", "-b", broker.bootstrap)
        assert again.stdout == "orders\nusers\n"
        assert run("completion", "values", "brokers", "-b", broker.bootstrap).stdout == "0\n"
    finally:
        broker.close()
