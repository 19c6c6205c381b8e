"""Run pko as users do, bytes in and bytes out, and start it to be interrupted."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.support.waiting import PATIENCE

PKO = (sys.executable, "-m", "pykafka_ops")
PATIENT = {
    "PKO_CONFIG": str(Path(__file__).with_name("patient.toml")),
    "PKO_PROFILE": "patient",  # else nothing of it counts where a line names its cluster
}
KAFKA_ONLY = ("PKO_BOOTSTRAP_SERVER", "PKO_COMMAND_CONFIG", "PKO_PROFILE", "PKO_OUTPUT")


def environment() -> dict[str, str]:
    """The environment without what would change a command's meaning, and with patience."""
    kept = {name: value for name, value in os.environ.items() if name not in KAFKA_ONLY}
    return {**kept, **PATIENT, "XDG_CONFIG_HOME": "/nonexistent"}


def pko(
    *argv: str,
    text: str | bytes | None = None,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    seconds: float = PATIENCE,
) -> subprocess.CompletedProcess[bytes]:
    """Run it to its end; ``text`` is its standard input (None: nothing)."""
    return subprocess.run(
        [*PKO, *argv],
        input=text.encode() if isinstance(text, str) else text or b"",
        capture_output=True,
        timeout=seconds,
        cwd=cwd,
        env={**environment(), **(env or {})},
    )


def start(*argv: str, env: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
    """Start it with pipes on all three ends."""
    return subprocess.Popen(
        [*PKO, *argv],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**environment(), **(env or {})},
    )
