"""README, CONTRIBUTING and --help say what is true."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = tuple(
    str(p.relative_to(ROOT))
    for p in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"))
    if p.stem != "CHANGELOG"
)
README = (ROOT / "README.md").read_text()


def pko(*words: str) -> str:
    argv = [sys.executable, "-m", "pykafka_ops", *words]
    done = subprocess.run(
        argv, capture_output=True, text=True, env={**os.environ, "COLUMNS": "102"}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


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


@pytest.mark.parametrize(
    "line",
    [
        line
        for page in PAGES
        for line in code_lines((ROOT / page).read_text())
        if line.startswith("pko ")
    ],
)
def test_every_command_line_that_is_shown_is_understood(line: str) -> None:
    command, verb, *rest = line.split()[1:]
    if verb.startswith("-"):  # Kafka's tongue: its options stand in the tool's own help
        rest = [verb, *rest]
        page = pko(f"kafka-{command}", "--help")
    else:
        page = pko(command, verb, "--help")
        assert f"pko {command} {verb}" in page
    for option in (w.partition("=")[0] for w in rest if w.startswith("-")):
        assert re.search(rf"(^|[\s,]){re.escape(option)}\b", page), option


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
