"""README, CONTRIBUTING and --help say what is true."""

from __future__ import annotations

import os
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

from pykafka_ops.commands import find
from tests.support.golden.transcripts import run

ROOT = Path(__file__).resolve().parents[1]
PAGES = tuple(
    str(p.relative_to(ROOT))
    for p in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"))
    if p.stem != "CHANGELOG"
)
README = (ROOT / "README.md").read_text()


@cache
def pko(*words: str) -> str:
    """What a command line prints on a terminal of 102 columns."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "102")
        said = run(*words)
    assert said.code == 0, said.stderr
    return said.stdout


def help_commands() -> dict[str, str]:
    """Command and summary of each line of ``pko --help``."""
    text = pko("--help").partition("commands:\n")[2].partition("\n\n")[0]
    return dict(re.findall(r"^  ([\w-]+) +(\S.*)$", text, re.M))


def code_lines(page: str = README) -> list[str]:
    """The command lines that a page shows, without comments."""
    blocks = re.findall(r"```sh\n(.*?)```", page, re.S)
    return [re.sub(r"\s+#.*", "", line) for b in blocks for line in b.splitlines() if line]


def test_the_table_of_commands_is_that_of_help() -> None:
    rows = re.findall(r"^\| `pko ([\w-]+)` \| (.*?) \|", README, re.M)
    assert dict(rows) == help_commands()


def unknown(line: str) -> list[str]:
    """The options of a command line that its help does not name."""
    command, verb, *rest = line.split()[1:]
    if verb.startswith("-"):  # Kafka's syntax: its options stand in the tool's own help
        rest = [verb, *rest]
        page = pko(f"kafka-{command}" if find(f"kafka-{command}") else command, "--help")
    else:
        page = pko(command, verb, "--help")
        assert f"pko {command} {verb}" in page
    options = (w.partition("=")[0] for w in rest if w.startswith("-"))
    return [o for o in options if not re.search(rf"(^|[\s,]){re.escape(o)}\b", page)]


@pytest.mark.parametrize("page", PAGES)
def test_every_command_line_that_is_shown_is_understood(page: str) -> None:
    lines = [line for line in code_lines((ROOT / page).read_text()) if line.startswith("pko ")]
    assert {line: found for line in lines if (found := unknown(line))} == {}


def test_an_option_that_is_none_is_found() -> None:
    assert unknown("pko topics list --nonsense --output=json") == ["--nonsense"]


def test_the_broker_says_what_the_readme_quotes() -> None:
    from tests.support.process.broker import READY

    assert READY.search(README)


@pytest.mark.parametrize("page", PAGES)
def test_links_and_paths_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text()
    links = re.findall(r"\]\(([^)#:]+)\)", text)
    paths = re.findall(r"`((?:scripts|tests|man|\.ci|pykafka_ops)/[\w./*-]*)`", text)
    for name in links:
        assert ((ROOT / page).parent / name).exists(), name
    for name in paths:
        assert (ROOT / name.rstrip("/")).exists() or "*" in name, name


@pytest.mark.parametrize("name", ["quickstart", "test", "check", "lint", "bench"])
def test_scripts_can_be_run(name: str) -> None:
    path = ROOT / "scripts" / name
    assert os.access(path, os.X_OK)
    subprocess.run(["bash", "-n", str(path)], check=True)


def test_pages_name_no_workplace() -> None:
    """Nothing about how or where this was written."""
    for page in PAGES:
        text = (ROOT / page).read_text()
        for word in ("/work/", "/root/", "helper", "issue #"):
            assert word not in text, (page, word)
