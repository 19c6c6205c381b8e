"""``pko spark demo``: what cannot be is said before a broker is started."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pykafka_ops.spark.demo.run import environment


def demo(*words: str, **env: str) -> tuple[int, str]:
    argv = [sys.executable, "-m", "pykafka_ops", "spark", "demo", *words]
    done = subprocess.run(
        argv, capture_output=True, text=True, timeout=100, check=False, env={**os.environ, **env}
    )
    assert not done.stdout
    return done.returncode, done.stderr


def test_no_java_is_said_before_anything_is_made(tmp_path: Path) -> None:
    code, said = demo("--keep", str(tmp_path / "kept"), "--cores", "1", JAVA_HOME=str(tmp_path))
    assert code == 1 and "Spark needs Java" in said and said.count("\n") == 1
    assert not (tmp_path / "kept").exists()


@pytest.mark.java
def test_a_directory_with_logs_is_left_alone(tmp_path: Path) -> None:
    logs = tmp_path / "kept" / "kafka-logs"
    logs.mkdir(parents=True)
    code, said = demo("--keep", str(tmp_path / "kept"))
    assert code == 1 and f"{logs} is there already: take another directory" in said
    assert list(logs.iterdir()) == []


@pytest.mark.java
def test_a_page_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    page = tmp_path / "notes.html"
    page.write_text("mine")
    code, said = demo("--html", str(page), TMPDIR=str(tmp_path))
    assert code == 2 and "was not made by pko: give --yes" in said
    assert page.read_text() == "mine" and list(tmp_path.iterdir()) == [page]


@pytest.mark.java
def test_a_place_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    code, said = demo("--keep", str(tmp_path / "file" / "below"))
    assert code == 1 and str(tmp_path / "file") in said and "Traceback" not in said


def test_settings_for_other_clusters_do_not_reach_the_reports() -> None:
    env = {"PATH": "/bin", "PKO_BOOTSTRAP_SERVER": "prod:9092", "PKO_PROFILE": "prod"}
    assert environment(env) == {"PATH": "/bin"}
