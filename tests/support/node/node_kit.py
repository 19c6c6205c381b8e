"""Node for tests: find it, fetch KafkaJS with npm into ``.cache/node``, run our scripts with it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.support.java.java_kit import locked

ROOT = Path(__file__).resolve().parents[3]
HERE = Path(__file__).resolve().parent
CACHE = ROOT / ".cache" / "node"


def missing() -> str | None:
    """Why tests that need Node cannot run here, or None when they can."""
    for tool in ("node", "npm"):
        if shutil.which(tool) is None:
            return f"no {tool} on the PATH: install Node, on Debian: apt-get install nodejs npm"
    return None


def fetch() -> None:
    """Have KafkaJS."""
    package = HERE / "package.json"
    with locked("node"):
        if not _is_installed(package):
            CACHE.mkdir(parents=True, exist_ok=True)
            shutil.copy(package, CACHE)
            _run(["npm", "install", "--no-audit", "--no-fund", "--silent"], seconds=300)
            (CACHE / "installed.json").write_bytes(package.read_bytes())


def run(script: str, *arguments: str) -> str:
    """What a script beside this file writes to its standard output."""
    fetch()
    with locked("node"):
        shutil.copy(HERE / script, CACHE)
    return _run(["node", script, *arguments], seconds=300)


def _is_installed(package: Path) -> bool:
    mark = CACHE / "installed.json"
    return mark.is_file() and mark.read_bytes() == package.read_bytes()


def _run(argv: list[str], *, seconds: float) -> str:
    done = subprocess.run(argv, cwd=CACHE, capture_output=True, text=True, timeout=seconds)
    assert done.returncode == 0, f"{argv}\n{done.stdout}{done.stderr}"
    return done.stdout
