"""A broker as a process of its own: ``python -m pykafka_ops.broker FD DATA-DIR``.

``pko broker start`` becomes it, so that nothing of the command line stays in the broker's memory.
The descriptor leads to a ``Start`` in JSON: settings may be secret, and a process list is not.
"""

from __future__ import annotations

import contextlib
import gc
import json
import logging
import os
import sys
from collections.abc import Callable
from typing import NoReturn, TypedDict

from pykafka_ops.broker.runtime.log_lines import set_up_log
from pykafka_ops.errors import PkoError, StorageError, UsageError, internal


class Start(TypedDict):
    """What ``pko broker start`` hands over."""

    properties: dict[str, str]
    data_dir: str
    log_file: str | None
    log_level: str
    log_json: bool
    teller: int | None
    """A descriptor for one line, "broker ... ready ..." or the error; None: stdout and stderr."""
    kafka: bool
    """Show errors as kafka-server-start does: the text alone, exit code 1."""
    debug: bool


def main(start: Start) -> int:
    """Serve until SIGTERM or SIGINT; the exit code."""
    teller = start["teller"]
    try:
        return _serve(start, lambda line: _tell(line, 1 if teller is None else teller))
    except PkoError as error:
        if start["debug"]:
            import traceback

            traceback.print_exception(error)
        if teller is None:
            _tell(f"{'' if start['kafka'] else 'pko: '}{error}", 2)
        else:
            _tell(str(error), teller)
        return 1 if start["kafka"] else error.exit_code
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if start["debug"]:
            raise
        _tell(f"pko: {internal(error)}", 2)
        return 1


def _tell(line: str, descriptor: int) -> None:
    with contextlib.suppress(OSError):  # whoever started it is gone, which is no reason to go, too
        os.write(descriptor, f"{line}\n".encode(errors="backslashreplace"))
        if descriptor > 2:
            os.close(descriptor)


def _serve(start: Start, ready: Callable[[str], None]) -> int:
    from pykafka_ops.broker.runtime.process import run  # with all that a broker is made of

    path, properties = start["log_file"], start["properties"]
    try:
        named = properties.get("broker.id") or properties.get("node.id")
        said = {"broker": named} if named else {}
        set_up_log(path, start["log_level"], said if start["log_json"] else None)
    except OSError as error:
        raise UsageError(f"--log-file {path}: {error.strerror}") from None
    try:
        return run(properties, start["data_dir"], ready)
    except OSError as error:
        what = error.filename or properties.get("listeners", "")
        raise StorageError(f"cannot start: {error.strerror or error} ({what})") from None


def _leave(code: int) -> NoReturn:
    """End the process. All is on the disk: to take a hundred thousand objects down one by one
    would only make a clean stop longer."""
    logging.shutdown()
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    gc.disable()  # modules are no garbage: ``run`` enables it
    with os.fdopen(int(sys.argv[1]), encoding="utf-8") as handed:
        wanted = json.load(handed)
    _leave(main(wanted))
