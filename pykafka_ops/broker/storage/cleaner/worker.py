"""The cleaner's own process: ``python -m pykafka_ops.broker.storage.cleaner.worker``.

Reads a job per line from stdin and answers with lines of JSON: ``{"segment": ...}`` for each
cleaned segment, at last ``{"done": ...}`` or ``{"failed": text, "errno": ...}``.
It ends when stdin does, also in the middle of a job: nothing may be cleaned without the broker.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import time
from contextlib import suppress
from dataclasses import asdict
from json import dumps
from typing import IO

from pykafka_ops.broker.storage.cleaner.clean import Compaction
from pykafka_ops.broker.storage.cleaner.job import CleanedSegment, CompactionJob
from pykafka_ops.broker.storage.cleaner.throttle import Throttler
from pykafka_ops.broker.storage.real_files import RealFiles


def main() -> None:
    """Serve until stdin ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # meant for the broker, which ends this process
    with suppress(OSError, AttributeError):  # clients go first where cores are few
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(sys.stdin.buffer, lines), daemon=True).start()
    while True:
        serve(lines.get(), sys.stdout.buffer)


def _read(source: IO[bytes], lines: queue.SimpleQueue[bytes]) -> None:
    for line in source:
        lines.put(line)
    os._exit(0)


def serve(line: bytes, out: IO[bytes]) -> None:
    """Do one job; every outcome becomes a line."""

    def say(**words: object) -> None:
        try:
            out.write(dumps(words, separators=(",", ":")).encode() + b"\n")
            out.flush()
        except BrokenPipeError:
            os._exit(0)  # the broker is gone

    def emit(segment: CleanedSegment) -> None:
        say(segment=asdict(segment))

    begin = time.monotonic()
    try:
        job = CompactionJob.from_json(line)
        throttle = Throttler(job.rate, time.monotonic, time.sleep) if job.rate > 0 else None
        report = Compaction(RealFiles(), job, emit, throttle).run()
    except FileNotFoundError as error:  # the partition is not there any more
        say(failed=str(error), errno=0)
    except OSError as error:
        say(failed=str(error), errno=error.errno or 0)
    except Exception as error:  # whatever it is, this log cannot be cleaned
        say(failed=f"{type(error).__name__}: {error}", errno=0)
    else:
        report.seconds = time.monotonic() - begin
        say(done=asdict(report))


if __name__ == "__main__":
    main()
