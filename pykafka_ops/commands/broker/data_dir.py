"""The settings of a broker, its data directory, and the process that runs on it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.profile import default_dir
from pykafka_ops.errors import UsageError


def properties_of(args: Args) -> dict[str, str]:
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
    properties |= args.pairs("override")
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


def data_dir_of(args: Args, properties: dict[str, str]) -> Path:
    """Where the metadata store and the pid file live; also the log directory if none is set."""
    given = args.text("data-dir")
    dirs = properties.get("log.dirs") or properties.get("log.dir")
    if given is None and dirs:
        given = dirs.split(",")[0].strip()
    data_dir = Path(default_dir("broker") if given is None else given).absolute()
    if not dirs:
        properties["log.dirs"] = str(data_dir)
    return data_dir


def running(data_dir: Path) -> dict[str, Any] | None:
    """What the pid file says, if the process that wrote it lives: a pid alone may be a stranger's
    by now."""
    from pykafka_ops.broker.runtime.process import read_pid_file
    from pykafka_ops.local import children

    found = read_pid_file(data_dir)
    if found is None or not children.is_alive(found["pid"], found.get("started", 0)):
        return None
    return found
