"""What Spark Connect's client needs, beside the environment of the tests: with pandas in it, they
would not show that reports do without. Fetched by pip into ``.cache/connect``."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.support.java.java_kit import locked

ROOT = Path(__file__).resolve().parents[3]
CACHE = ROOT / ".cache" / "connect"
PACKAGES = (
    "grpcio==1.85.3", "grpcio-status==1.85.3", "googleapis-common-protos==1.76.0",
    "pandas==2.3.3", "pytz", "tzdata",
)  # fmt: skip
_FETCH_SECONDS = 1200


def modules() -> str:
    """A directory for PYTHONPATH."""
    target = CACHE / f"{sys.version_info.major}.{sys.version_info.minor}"
    with locked("connect"):
        if not target.exists():
            part = target.with_name(f"{target.name}.part")
            shutil.rmtree(part, ignore_errors=True)
            fetch = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target"]
            done = subprocess.run(
                [*fetch, str(part), *PACKAGES], capture_output=True, text=True, check=False,
                timeout=_FETCH_SECONDS,
            )  # fmt: skip
            assert done.returncode == 0, done.stderr
            part.rename(target)
    return os.pathsep.join([str(ROOT), str(target)])
