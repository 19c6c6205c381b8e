"""``pko broker start`` and kafka-server-start: become a broker, or start one as a daemon."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, NoReturn

from pykafka_ops.commands.broker.data_dir import data_dir_of, properties_of
from pykafka_ops.commands.configs.known import BROKERS, say_near
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import PkoError, StorageError, UsageError

if TYPE_CHECKING:
    from pykafka_ops.broker.__main__ import Start

FORMATS = ("text", "json")
LEVELS = ("DEBUG", "INFO", "WARN", "WARNING", "ERROR")


def start(run: Run) -> int:
    """Run a broker in the foreground, or as a daemon once it accepts clients."""
    args = run.args
    properties = properties_of(args)
    if not args.flags:
        say_near(BROKERS, args.pairs("override"))
    data_dir = data_dir_of(args, properties)
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"cannot make {data_dir}: {error.strerror}") from None
    level = (args.text("log-level") or "INFO").upper()
    if level not in LEVELS:
        raise UsageError(f"--log-level {level}: choose one of {', '.join(LEVELS)}")
    form = (args.text("log-format") or "text").lower()
    if form not in FORMATS:
        raise UsageError(f"--log-format {form}: choose one of {', '.join(FORMATS)}")
    wanted: Start = {
        "properties": properties,
        "data_dir": str(data_dir),
        "log_file": args.text("log-file"),
        "log_level": level,
        "log_json": form == "json",
        "teller": None,
        "kafka": args.flags,
        "debug": run.debug,
    }
    if not args.has("daemon"):
        _become(wanted)
    wanted["log_file"] = wanted["log_file"] or str(data_dir / "broker.log")
    return _daemon(wanted)


def _become(wanted: Start) -> NoReturn:
    """Replace this process by the broker's; the data directory is there for the process list."""
    handed = os.memfd_create("start") if sys.platform == "linux" else _unnamed_file()
    os.set_inheritable(handed, True)
    with open(handed, "w", encoding="utf-8", closefd=False) as file:
        json.dump(wanted, file)
    os.lseek(handed, 0, os.SEEK_SET)
    sys.stdout.flush()
    # Modules come from where this process has them, not from the directory it stands in.
    safe = [] if sys.path[:1] == [os.getcwd()] else ["-P"]
    argv = [sys.executable, *safe, "-m", "pykafka_ops.broker", str(handed), wanted["data_dir"]]
    os.execv(sys.executable, argv)


def _unnamed_file() -> int:
    import tempfile

    descriptor, path = tempfile.mkstemp()
    os.unlink(path)
    return descriptor


def _daemon(wanted: Start) -> int:
    """Fork; the parent waits for the ready line (or the reason why there is none)."""
    reader, writer = os.pipe()
    if os.fork():
        os.close(writer)
        with os.fdopen(reader, encoding="utf-8") as lines:
            said = lines.read().strip()
        if said.startswith("broker "):
            sys.stdout.write(f"{said}\n")
            return 0
        raise PkoError(said or f"the broker ended while starting; see {wanted['log_file']}")
    os.close(reader)
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.set_inheritable(writer, True)
    wanted["teller"] = writer
    _become(wanted)
