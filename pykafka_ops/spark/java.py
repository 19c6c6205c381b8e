"""Which Java Spark would run on, and whether it is new enough, without starting it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from pykafka_ops.errors import PkoError

NEEDED = 17
"""What Spark 4 asks for (https://spark.apache.org/docs/latest/)."""

INSTALL = (
    f"install Java {NEEDED} or newer (Debian: apt-get install openjdk-{NEEDED}-jre-headless; "
    f"macOS: brew install openjdk@{NEEDED}) or set JAVA_HOME to where it is"
)


def check_java(env: Mapping[str, str]) -> None:
    """Raises PkoError, in one line with what to install, unless Spark can start here."""
    path = java_path(env)
    if path is None:
        home = env.get("JAVA_HOME")
        where = f"under JAVA_HOME={home}" if home else "on the PATH"
        raise PkoError(f"Spark needs Java, and there is none {where}: {INSTALL}")
    found = version_of(path)
    if found is not None and found < NEEDED:
        raise PkoError(f"Spark needs Java {NEEDED}, but {path} is Java {found}: {INSTALL}")


def java_path(env: Mapping[str, str]) -> str | None:
    """The ``java`` that Spark's scripts take: of JAVA_HOME if that is set, else of the PATH."""
    home = env.get("JAVA_HOME")
    if home:
        path = os.path.join(home, "bin", "java")
        return path if os.access(path, os.X_OK) else None
    return shutil.which("java", path=env.get("PATH"))


def version_of(path: str) -> int | None:
    """The feature version (8, 17, ...) of a ``java``; None where it does not say.

    A JDK writes it into its file ``release``; where there is none, ``java -version`` is asked.
    """
    try:
        text = (Path(path).resolve().parents[1] / "release").read_text(errors="replace")
        known = feature_version(text)
        if known is not None:
            return known
    except OSError:
        pass
    try:
        done = subprocess.run(
            [path, "-version"], capture_output=True, text=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return feature_version(done.stderr)


def feature_version(text: str) -> int | None:
    """8 of ``version "1.8.0_402"``, 17 of ``JAVA_VERSION="17.0.15"``; None without one."""
    found = re.search(r'(?:JAVA_VERSION=|version )"(?:1\.)?(\d{1,4})', text)
    return int(found[1]) if found else None
