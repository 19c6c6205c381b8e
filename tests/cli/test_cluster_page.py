"""The commands that the page on clusters shows do what it says, in the order they stand."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.java, pytest.mark.live]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "cluster.md"


def test_a_broker_is_drained_and_filled_again_by_the_commands_of_the_page(
    tmp_path: Path,
) -> None:
    section = (
        PAGE.read_text().partition("\n## A cluster on this machine\n")[2].partition("\n## ")[0]
    )
    found = re.search(r"```sh\n(.*?)```", section, re.S)
    assert found
    assert len(re.findall(r"^pko |\$\(pko ", found[1], re.M)) == 6
    held = "pko topics describe orders -o json > "
    commands = found[1].replace("pko cluster status", f"{held} drained.json; pko cluster status")
    done = in_project(f"{commands}\n{held} after.json", tmp_path)
    try:
        assert done.returncode == 0, done.stderr
    finally:
        stopped = in_project("pko cluster stop", tmp_path)
    assert stopped.returncode == 0, stopped.stderr
    assert holders(tmp_path / "drained.json") == {0, 1}
    assert holders(tmp_path / "after.json") == {0, 1, 2}


def in_project(script: str, where: Path) -> subprocess.CompletedProcess[str]:
    """Run shell commands as a user would who has installed the package."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "XDG_DATA_HOME": str(where)}
    argv = ["bash", "-exc", script]
    return subprocess.run(argv, cwd=where, env=env, capture_output=True, text=True, timeout=300)


def holders(described: Path) -> set[int]:
    """The brokers that hold replicas."""
    (topic,) = json.loads(described.read_text())["items"]
    return {replica for p in topic["partitions"] for replica in p["replicas"]}
