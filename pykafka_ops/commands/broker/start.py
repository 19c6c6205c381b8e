"""``pko broker``: start, stop and look at a broker of ours (kafka-server-start, -stop).

The only command that imports the broker.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.output import Column, Table, quiet_pipe
from pykafka_ops.errors import PkoError, SettingError, StorageError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from pykafka_ops.commands.framework.run import Run

STOP_SECONDS = 60.0
LEVELS = ("DEBUG", "INFO", "WARN", "WARNING", "ERROR")


def start(run: Run) -> int:
    """Run a broker in the foreground, or as a daemon once it accepts clients."""
    from pykafka_ops.broker.runtime.process import set_up_log

    args = run.args
    properties = _properties(args)
    data_dir = _data_dir(args, properties)
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"cannot make {data_dir}: {error.strerror}") from None
    log_file = args.text("log-file")
    if args.has("daemon"):
        return _daemon(properties, data_dir, log_file or str(data_dir / "broker.log"), args)
    _log_to(set_up_log, log_file, args)
    return _run(properties, data_dir, _say_ready)


def stop(run: Run) -> int:
    """Ask the broker of a data directory to stop, and wait until it has."""
    data_dir = _data_dir(run.args, _properties(run.args))
    found = _running(data_dir)
    if found is None:
        raise PkoError(f"no broker runs on {data_dir}")
    told = f"broker {found.get('broker_id')} (pid {found['pid']}) stopped"
    if not run.args.has("controlled"):
        _end(int(found["pid"]))
        run.note(told)
        return 0
    from pykafka_ops.commands.broker.controlled import ControlledStop

    check = ControlledStop(run, found)
    try:
        led = check.check_before()
        _end(int(found["pid"]))
        check.check_after()
    finally:
        check.close()
    run.note(f"{told}; others lead its {led} partitions" if led else told)
    return 0


def _end(pid: int) -> None:
    from pykafka_ops.broker.runtime.process import alive

    os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + STOP_SECONDS
    while alive(pid):
        if time.monotonic() > deadline:
            raise PkoError(
                f"broker with pid {pid} did not stop in {STOP_SECONDS:.0f} s; see its log"
            )
        time.sleep(0.02)


def status(run: Run) -> Table:
    """One row about the broker of a data directory; exit code 4 if none runs."""
    data_dir = _data_dir(run.args, _properties(run.args))
    found = _running(data_dir)
    row = {
        "data_dir": str(data_dir),
        "state": "running" if found else "stopped",
        "pid": found["pid"] if found else None,
        "broker_id": found.get("broker_id") if found else None,
        "cluster_id": found.get("cluster_id") if found else None,
        "listeners": ",".join(found.get("listeners", [])) if found else None,
        "uptime_s": round(time.time() - found["started_ms"] / 1000) if found else None,
    }
    return Table(
        "BrokerStatus",
        [
            Column("state"),
            Column("broker_id", "BROKER", right=True),
            Column("pid", right=True),
            Column("listeners"),
            Column("uptime_s", "UPTIME(s)", right=True),
            Column("cluster_id", "CLUSTER", wide=True),
            Column("data_dir", "DATA-DIR"),
        ],
        [row],
        name="state",
        exit_code=0 if found else 4,
    )


def _running(data_dir: Path) -> dict[str, Any] | None:
    from pykafka_ops.broker.runtime.process import alive, read_pid_file

    found = read_pid_file(data_dir)
    return found if found is not None and alive(int(found["pid"])) else None


# --- settings ------------------------------------------------------------------------------------


def _properties(args: Args) -> dict[str, str]:
    """server.properties, then --override, --listen and --data-dir on top."""
    properties: dict[str, str] = {}
    path = _file(args)
    if path is not None:
        from pykafka_ops.settings.properties import parse_properties

        try:
            properties.update(parse_properties(Path(path).read_text(encoding="utf-8")))
        except OSError as error:
            raise UsageError(f"cannot read {path}: {error.strerror}") from None
        except UnicodeDecodeError as error:
            raise UsageError(f"{path} is not a properties file: {error}") from None
    for item in args.texts("override"):
        key, equals, value = item.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"--override {item}: write it as key=value")
        properties[key.strip()] = value.strip()
    listen = args.text("listen")
    if listen is not None:
        properties["listeners"] = listen if "://" in listen else f"PLAINTEXT://{listen}"
    elif path is None:
        properties.setdefault("listeners", "PLAINTEXT://127.0.0.1:9092")
    return properties


def _file(args: Args) -> str | None:
    if not args.flags:
        return args.text("properties-file")
    if not args.stray:
        raise UsageError("USAGE: kafka-server-start [-daemon] server.properties [--override k=v]*")
    if len(args.stray) > 1:
        raise UsageError(f"Found non argument parameters: {','.join(args.stray[1:])}")
    return args.stray[0]


def _data_dir(args: Args, properties: dict[str, str]) -> Path:
    """Where the metadata store and the pid file live; also the log directory if none is set."""
    given = args.text("data-dir")
    dirs = properties.get("log.dirs") or properties.get("log.dir")
    if given is None and dirs:
        given = dirs.split(",")[0].strip()
    if given is None:
        base = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
        given = os.path.join(base, "pko", "broker")
    data_dir = Path(given).absolute()
    if not dirs:
        properties["log.dirs"] = str(data_dir)
    return data_dir


# --- running -------------------------------------------------------------------------------------


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
    told = False

    def tell(text: str) -> None:
        nonlocal told
        if not told:
            told = True
            os.write(writer, text.encode())
            os.close(writer)

    try:
        set_up()
        return _run(properties, data_dir, tell)
    except PkoError as error:
        tell(str(error))
        return error.exit_code
