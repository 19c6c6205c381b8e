"""The installed Java and its version, found without starting it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from pykafka_ops.errors import PkoError


def require_java(env: Mapping[str, str], needed: int, what: str) -> str:
    """The ``java`` to run ``what`` with; PkoError in one line, with what to install, without one.

    ``needed`` is the oldest feature version that will do (8, 17, ...).
    """
    path = java_path(env)
    if path is None:
        home = env.get("JAVA_HOME")
        where = f"under JAVA_HOME={home}" if home else "on the PATH"
        raise PkoError(f"{what} needs Java, and there is none {where}: {install_text(needed)}")
    found = version_of(path)
    if found is not None and found < needed:
        raise PkoError(
            f"{what} needs Java {needed}, but {path} is Java {found}: {install_text(needed)}"
        )
    return path


def install_text(needed: int) -> str:
    """How to get a Java of at least ``needed``; what distributions carry is 17."""
    package = max(needed, 17)
    return (
        f"install Java {needed} or newer (Debian: apt-get install openjdk-{package}-jre-headless; "
        f"macOS: brew install openjdk@{package}) or set JAVA_HOME to where it is"
    )


def java_path(env: Mapping[str, str]) -> str | None:
    """The ``java`` that scripts take: of JAVA_HOME if that is set, else of the PATH."""
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
