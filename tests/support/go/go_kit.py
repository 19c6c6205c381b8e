"""Go for tests: find it, build the programs beside this file into ``.cache/go``, run them.

Go fetches franz-go by itself and keeps it where it keeps all modules.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from tests.support.java.java_kit import locked

ROOT = Path(__file__).resolve().parents[3]
HERE = Path(__file__).resolve().parent
CACHE = ROOT / ".cache" / "go"
PACKAGES = (".", "member")
PLACES = os.pathsep.join((os.environ.get("PATH", ""), "/usr/local/go/bin"))


def missing() -> str | None:
    """Why tests that need Go cannot run here, or None when they can."""
    if shutil.which("go", path=PLACES) is None:
        return "no go on the PATH: install Go 1.21 or newer (https://go.dev/dl)"
    return None


def run(*arguments: str) -> str:
    """What the program that asks as an admin client does writes to its standard output."""
    done = subprocess.run([built(), *arguments], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def built(package: str = ".") -> str:
    """The program of a package, ready to run."""
    sources = [HERE / package / "main.go", HERE / "go.mod", HERE / "go.sum"]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:12]
    target = CACHE / f"{(HERE / package).name}-{digest}"
    with locked("go"):
        if not target.is_file():
            go = str(shutil.which("go", path=PLACES))
            argv = [go, "build", "-o", str(target), f"./{package}"]
            done = subprocess.run(argv, cwd=HERE, capture_output=True, text=True, timeout=300)
            assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    return str(target)
