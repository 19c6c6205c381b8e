"""The jobs that the page on smoke shows run as they stand, and what it shows is printed."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from tests.cli.test_cluster_page import in_project
from tests.support.waiting import free_port

pytestmark = pytest.mark.live

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "smoke.md").read_text()
ADDRESS = "127.0.0.1:9092"
TESTS = """#!/bin/sh
pko topics create orders && seq 1 10 | pko produce orders &&
pko consume orders --from-beginning -n 10 | sort -n > consumed
"""
"""What a project runs in place of its tests."""


def block(kind: str, mark: str) -> str:
    """The code block of that kind in which ``mark`` stands."""
    (found,) = [b for b in re.findall(rf"```{kind}\n(.*?)```", PAGE, re.S) if mark in b]
    return str(found)


def github() -> tuple[list[str], list[str]]:
    """The lines of its steps, and those that are run at the end whatever happened."""
    job = yaml.safe_load(block("yaml", "runs-on"))["jobs"]["test"]
    assert job["env"] == {"PKO_BOOTSTRAP_SERVER": ADDRESS}
    runs = [step for step in job["steps"] if "run" in step]
    return [s["run"] for s in runs if "if" not in s], [s["run"] for s in runs if "if" in s]


def gitlab() -> tuple[list[str], list[str]]:
    job = yaml.safe_load(block("yaml", "script:"))["test"]
    assert job["variables"] == {"PKO_BOOTSTRAP_SERVER": ADDRESS}
    return job["script"], job["after_script"]


def jenkins() -> tuple[list[str], list[str]]:
    text = block("groovy", "pipeline")
    assert f"PKO_BOOTSTRAP_SERVER = '{ADDRESS}'" in text
    before, _, after = text.partition("post {")
    return re.findall(r"sh '(.*?)'", before), re.findall(r"sh '(.*?)'", after)


@pytest.mark.parametrize("job", [github, gitlab, jenkins], ids=lambda j: j.__name__)
def test_a_job_starts_a_broker_smokes_it_runs_the_tests_and_stops(
    job: object, tmp_path: Path
) -> None:
    assert callable(job)
    lines, last = job()
    assert [line.split()[:2] for line in lines[:3]] == [
        ["pip", "install"], ["pko", "broker"], ["pko", "smoke"]
    ]  # fmt: skip
    tests = tmp_path / "run-tests.sh"
    tests.write_text(TESTS)
    tests.chmod(0o755)
    address = f"127.0.0.1:{free_port()}"
    script = "\n".join([f"export PKO_BOOTSTRAP_SERVER={ADDRESS}", *lines[1:]])
    try:
        done = in_project(script.replace(ADDRESS, address), tmp_path)
        assert done.returncode == 0, done.stderr
    finally:
        stopped = in_project("\n".join(last), tmp_path)
    assert stopped.returncode == 0, stopped.stderr
    assert (tmp_path / "consumed").read_text().split() == [str(n) for n in range(1, 11)]
    if (tmp_path / "smoke.xml").exists():
        suite = ElementTree.parse(tmp_path / "smoke.xml").getroot()
        assert [case.get("name") for case in suite] == steps()
    else:
        assert "::notice title=pko smoke::8 steps ok" in done.stdout


def steps() -> list[str]:
    """Those of the table that explains them."""
    return re.findall(r"^\| `(\w+)` \|", PAGE, re.M)


def test_the_page_shows_what_is_printed(tmp_path: Path) -> None:
    shown = block("console", "$ pko smoke")
    address = f"127.0.0.1:{free_port()}"
    start = f"pko broker start --data-dir kafka-data --listen {address} --daemon > log"
    command = shown.splitlines()[0].removeprefix("$ ").replace(ADDRESS, address)
    try:
        done = in_project(f"{start}\n{command}", tmp_path)
    finally:
        in_project("pko broker stop --data-dir kafka-data", tmp_path)
    assert done.returncode == 0, done.stderr
    assert plain(done.stdout) == plain("\n".join(shown.splitlines()[1:]))


def plain(text: str) -> str:
    """Without what differs from run to run: times, ids, widths of columns."""
    text = re.sub(r"\d+\.\d", "MS", re.sub(r"cluster \S+", "cluster ID", text))
    return re.sub(r" +", " ", text).strip()
