"""The session that the README shows runs, and prints what it shows."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.cli.test_cluster_page import in_project
from tests.support.waiting import free_port

pytestmark = pytest.mark.live

README = Path(__file__).resolve().parents[2] / "README.md"


def plain(text: str) -> str:
    """Without what differs from run to run: topic ids, times, widths of columns."""
    text = re.sub(r"[\w-]{22}(?= |$)", "ID", text, flags=re.M)
    text = re.sub(r"in \d+ ms", "in MS", text)
    return re.sub(r" +", " ", text).strip()


def test_the_first_steps_print_what_the_readme_shows(tmp_path: Path) -> None:
    found = re.search(r"```console\n(.*?)```", README.read_text(), re.S)
    assert found
    address = f"127.0.0.1:{free_port()}"
    session = found[1].replace("127.0.0.1:9092", address).replace("/tmp/kafka", str(tmp_path / "k"))
    commands = [line[2:] for line in session.splitlines() if line.startswith("$ ")]
    shown = "\n".join(
        line for line in session.splitlines() if not line.startswith(("$ ", "1000 records: "))
    )
    assert "\n1000 records: orders-" in session
    try:
        done: subprocess.CompletedProcess[str] = in_project("\n".join(commands), tmp_path)
    finally:
        in_project(f"pko broker stop --data-dir {tmp_path / 'k'} || true", tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^1000 records: orders-\d at \d", done.stderr, re.M)
    assert [len(records) for records in numbers(done.stdout)] == [3]
    assert plain(re.sub(r"^\d+$", "N", done.stdout, flags=re.M)) == plain(
        re.sub(r"^\d+$", "N", shown, flags=re.M)
    )


def numbers(text: str) -> list[list[str]]:
    """The runs of lines that are records."""
    return [run.split() for run in re.findall(r"(?:^\d+\n)+", text, re.M)]
