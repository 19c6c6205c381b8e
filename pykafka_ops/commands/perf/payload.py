"""What the records of a performance test hold."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable
from pathlib import Path

from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.perf.failures import ARGUMENT, PerfError
from pykafka_ops.errors import UsageError

_LETTERS = bytes(65 + n % 26 for n in range(256))
_MAX_FILE = 1 << 30


def letters(source: random.Random, size: int) -> bytes:
    """Capital letters, at random."""
    return source.randbytes(size).translate(_LETTERS)


def payloads(run: Run) -> Callable[[int], bytes]:
    """A function that makes the value of a record from its number; PerfError, UsageError."""
    args = run.args
    source = random.Random(0)
    if args.has("payload-file"):
        values = _read(run, args.text("payload-file") or "")
        return lambda number: values[source.randrange(len(values))]
    if args.has("payload-monotonic"):
        return lambda number: str(number).encode()
    size = args.number("record-size")
    if size is None:
        raise UsageError("give --record-size, --payload-file or --payload-monotonic")
    return lambda number: letters(source, size)


def _read(run: Run, path: str) -> list[bytes]:
    if run.args.flags:
        sys.stdout.write(f"Reading payloads from: {os.path.abspath(path)}\n")
    try:
        with Path(path).open("rb") as file:
            data = file.read(_MAX_FILE)
    except FileNotFoundError:
        data = b""
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    if not data:
        if not run.args.flags:
            raise UsageError(f"{path}: it is not there, or empty")
        raise PerfError("File does not exist or empty file provided.", ARGUMENT)
    delimiter = run.args.text("payload-delimiter") or "\\n"
    cut = b"\n" if delimiter == "\\n" else delimiter.encode()
    values = data.split(cut)
    while len(values) > 1 and not values[-1]:
        values.pop()
    if run.args.flags:
        sys.stdout.write(f"Number of records read: {len(values)}\n")
    return values
