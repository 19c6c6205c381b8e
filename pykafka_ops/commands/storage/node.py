"""What ``server.properties`` says of a node of KRaft: as much of it as a format needs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.storage.errors import ARGUMENT, CONFIG, StorageToolError
from pykafka_ops.errors import UsageError
from pykafka_ops.settings.properties import parse_properties

CONTROLLER = "controller"
_LISTENER = re.compile(
    r"(?P<name>[A-Za-z0-9_]+)://\[?(?P<host>[0-9A-Za-z\-%._:]*?)\]?:(?P<port>-?\d{1,9})"
)
_MAX_FILE = 16 << 20


class KraftNode(NamedTuple):
    """Its id and roles, its directories in order, and its settings as they are written."""

    id: int
    roles: list[str]
    directories: list[str]
    metadata_directory: str
    controller_listener: str
    settings: dict[str, str]

    @property
    def has_static_voters(self) -> bool:
        """Whether controller.quorum.voters names the quorum."""
        return bool(self.settings.get("controller.quorum.voters", "").strip())

    def controller_address(self) -> tuple[str, int]:
        """Where its controller is called; StorageToolError where it does not listen."""
        said = self.settings.get("advertised.listeners", "")
        for text in (said, self.settings.get("listeners", "")):
            for part in text.split(","):
                found = _LISTENER.fullmatch(part.strip())
                if found and found["name"].upper() == self.controller_listener:
                    return found["host"] or "localhost", int(found["port"])
        raise StorageToolError("No controller listeners found.", "java.lang.RuntimeException")


def read_node(run: Run) -> KraftNode:
    """The node of the file that the command line names; UsageError, StorageToolError."""
    path = run.args.text("config") or ""
    try:
        with Path(path).open("rb") as file:
            data = file.read(_MAX_FILE)
    except FileNotFoundError:
        if run.args.flags:
            raise StorageToolError(path, "java.nio.file.NoSuchFileException") from None
        raise UsageError(f"{path}: No such file or directory") from None
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    return node_of(parse_properties(data))


def _required(settings: dict[str, str], name: str) -> str:
    if name not in settings:
        raise StorageToolError(
            f'Missing required configuration "{name}" which has no default value.', CONFIG
        )
    return settings[name].strip()


def _listed(text: str) -> list[str]:
    return [part for part in (p.strip() for p in text.split(",")) if part]


def node_of(settings: dict[str, str]) -> KraftNode:
    """The node that the settings describe; StorageToolError."""
    roles = _listed(_required(settings, "process.roles"))
    unknown = [r for r in roles if r not in ("broker", CONTROLLER)]
    if unknown:
        raise StorageToolError(
            f"Invalid value {unknown[0]} for configuration process.roles: String must be one of: "
            "broker, controller", CONFIG,
        )  # fmt: skip
    text = _required(settings, "node.id")
    if not re.fullmatch(r"\+?\d{1,9}", text):
        raise StorageToolError(
            f"Invalid value {text} for configuration node.id: Not a number of type INT", CONFIG
        )
    names = _listed(_required(settings, "controller.listener.names"))
    if not names:
        raise StorageToolError(
            "requirement failed: controller.listener.names must contain at least one value",
            ARGUMENT,
        )
    written = settings.get("log.dirs") or settings.get("log.dir") or "/tmp/kafka-logs"
    directories = _listed(written)
    metadata = settings.get("metadata.log.dir") or directories[0]
    ordered = sorted({*directories, metadata})
    return KraftNode(int(text), roles, ordered, metadata, names[0].upper(), settings)
