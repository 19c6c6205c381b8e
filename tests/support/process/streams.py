"""A Kafka Streams application that counts words, by the protocol of KIP-1071."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.java import java_kit
from tests.support.process.apache_kraft import VERSION, KraftBroker


@contextmanager
def word_count(
    kraft: KraftBroker, directory: Path, application: str, source: str, sink: str
) -> Iterator[subprocess.Popen[bytes]]:
    """Reads ``source``, writes ``sink``; ``streams.log`` in ``directory`` has what it says."""
    classpath = java_kit.compiled("StreamsDriver", VERSION, streams=True)
    argv = [
        "java", "-Xmx256M", *java_kit.BRIEF_JVM, "-Dgroup.protocol=streams", "-cp", classpath,
        "StreamsDriver", kraft.bootstrap, application, source, sink, str(directory / "state"),
    ]  # fmt: skip
    with (directory / "streams.log").open("wb") as out:
        process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=out, stderr=out)
    try:
        yield process
    finally:
        process.kill()
        process.wait(120)
