"""``pko broker start`` and kafka-server-start: serve in the foreground, or as a daemon."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from pykafka_ops.commands.broker.data_dir import data_dir_of, properties_of
from pykafka_ops.commands.configs.known import BROKERS, say_near
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.output import quiet_pipe
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import PkoError, SettingError, StorageError, UsageError

LEVELS = ("DEBUG", "INFO", "WARN", "WARNING", "ERROR")


def start(run: Run) -> int:
    """Run a broker in the foreground, or as a daemon once it accepts clients."""
    from pykafka_ops.broker.runtime.process import set_up_log

    args = run.args
    properties = properties_of(args)
    if not args.flags:
        say_near(BROKERS, args.pairs("override"))
    data_dir = data_dir_of(args, properties)
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"cannot make {data_dir}: {error.strerror}") from None
    log_file = args.text("log-file")
    if args.has("daemon"):
        return _daemon(properties, data_dir, log_file or str(data_dir / "broker.log"), args)
    _log_to(set_up_log, log_file, args)
    return _run(properties, data_dir, _say_ready)


def _log_to(set_up_log: Callable[[str | None, str], None], path: str | None, args: Args) -> None:
    level = (args.text("log-level") or "INFO").upper()
    if level not in LEVELS:
        raise UsageError(f"--log-level {level}: choose one of {', '.join(LEVELS)}")
    try:
        set_up_log(path, level)
    except OSError as error:
        raise UsageError(f"--log-file {path}: {error.strerror}") from None


def _say_ready(line: str) -> None:
    try:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
    except BrokenPipeError:  # whoever started it is gone, which is no reason to go, too
        quiet_pipe()


def _run(properties: dict[str, str], data_dir: Path, on_ready: Callable[[str], None]) -> int:
    from pykafka_ops.broker.runtime.process import run

    try:
        return run(properties, data_dir, on_ready)
    except OSError as error:
        what = error.filename or properties.get("listeners", "")
        raise StorageError(f"cannot start: {error.strerror or error} ({what})") from None
    except SettingError as error:
        raise UsageError(str(error)) from None


def _daemon(properties: dict[str, str], data_dir: Path, log_file: str, args: Args) -> int:
    """Fork; the parent waits for the ready line (or the reason why there is none)."""
    from pykafka_ops.broker.runtime.process import set_up_log

    reader, writer = os.pipe()
    if os.fork():
        os.close(writer)
        with os.fdopen(reader, encoding="utf-8") as lines:
            said = lines.read().strip()
        if said.startswith("broker "):
            _say_ready(said)
            return 0
        raise PkoError(said or f"the broker ended while starting; see {log_file}")
    os.close(reader)
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    code = _child(properties, data_dir, writer, lambda: _log_to(set_up_log, log_file, args))
    os._exit(code)


def _child(
    properties: dict[str, str], data_dir: Path, writer: int, set_up: Callable[[], None]
) -> int:
    said = False

    def tell(text: str) -> None:
        nonlocal said
        if not said:
            said = True
            os.write(writer, text.encode())
            os.close(writer)

    try:
        set_up()
        return _run(properties, data_dir, tell)
    except PkoError as error:
        tell(str(error))
        return error.exit_code
