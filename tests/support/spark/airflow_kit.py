"""Apache Airflow for tests: each version in an environment of its own under ``.cache/airflow``."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Mapping
from pathlib import Path

from tests.support.java.java_kit import locked

ROOT = Path(__file__).resolve().parents[3]
CACHE = ROOT / ".cache" / "airflow"
VERSIONS = ("3.3.2", "2.11.2")
"""The newest first: each takes minutes to fetch, so that it alone is in every run."""
PKO = (sys.executable, "-m", "pykafka_ops")
_FETCH_SECONDS, _RUN_SECONDS = 1200, 600


def python_of(version: str) -> str:
    """The Python of an environment with that Airflow, fetched by pip the first time."""
    target = CACHE / version
    python = target / "bin" / "python"
    with locked(f"airflow-{version}"):
        if not (target / "ready").exists():
            shutil.rmtree(target, ignore_errors=True)
            venv.create(target)
            # Not compiled: most of its modules are never imported here.
            pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-compile"]
            _said([*pip, "-q", f"apache-airflow=={version}"], {}, _FETCH_SECONDS)
            (target / "ready").touch()
    return str(python)


class Airflow:
    """One version with a database and a folder of DAGs of its own in ``home``."""

    def __init__(self, version: str, home: Path) -> None:
        self.python = python_of(version)
        self.home, self.dags = home, home / "dags"
        self.dags.mkdir(parents=True)
        self._command("db", "migrate")

    def states(self, name: str, source: str, env: Mapping[str, str]) -> dict[str, str]:
        """Put a DAG there, and run it; the state of every task. It prints that as its last line."""
        path = self.dags / f"{name}.py"
        path.write_text(source)
        self._command("dags", "reserialize", env=env)
        said = self.run(str(path), env=env)
        path.unlink()  # the next one may have another environment
        found: dict[str, str] = json.loads(said.splitlines()[-1])
        return found

    def run(self, *words: str, env: Mapping[str, str] | None = None) -> str:
        """What this Python prints."""
        ours = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "PYTHONPATH": str(ROOT),
            "AIRFLOW_HOME": str(self.home),
            "AIRFLOW__CORE__DAGS_FOLDER": str(self.dags),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        }
        return _said([self.python, *words], {**ours, **(env or {})}, _RUN_SECONDS)

    def _command(self, *words: str, env: Mapping[str, str] | None = None) -> None:
        self.run("-m", "airflow", *words, env=env)


def _said(words: list[str], env: Mapping[str, str], seconds: int) -> str:
    done = subprocess.run(
        words, env=dict(env) or None, capture_output=True, text=True,
        stdin=subprocess.DEVNULL, timeout=seconds, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{words}: {done.stdout[-3000:]}{done.stderr[-3000:]}"
    return done.stdout
