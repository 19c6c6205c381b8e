"""MirrorMaker 2's own classes, in a JVM: see ``MirrorDriver.java``."""

from __future__ import annotations

import subprocess

from tests.support.java import java_kit

MAIN = "org.apache.kafka.connect.mirror.MirrorDriver"


def mirror_driver(*arguments: str) -> list[str]:
    """The lines that the driver prints."""
    path = java_kit.compiled("MirrorDriver", mirror=True)
    argv = ["java", "-Xmx256M", *java_kit.BRIEF_JVM, "-cp", path, MAIN, *arguments]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()
