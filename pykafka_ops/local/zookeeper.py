"""The ZooKeeper that ships in the PySpark wheel, as a process.

Its log goes to stderr through log4j's SimpleLogger, so log4j-core stays out: a start takes about
0.3 s and 70 MB. Counterpart of zookeeper-server-start.sh.
"""

from __future__ import annotations

import glob
import importlib.util
import os
import re
import socket
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pykafka_ops.errors import PkoError, SettingError
from pykafka_ops.local import children
from pykafka_ops.local.children import LocalProcess
from pykafka_ops.local.java import require_java
from pykafka_ops.settings.properties import format_properties, parse_properties

MAIN = "org.apache.zookeeper.server.quorum.QuorumPeerMain"
JAVA_NEEDED = 8
JARS = (
    "zookeeper-[0-9]*", "zookeeper-jute-*", "netty-buffer-*", "netty-codec-[0-9]*",
    "netty-common-*", "netty-handler-[0-9]*", "netty-resolver-*", "netty-transport-[0-9]*",
    "slf4j-api-*", "log4j-api-*", "log4j-slf4j2-impl-*", "metrics-core-*", "commons-io-*",
)  # fmt: skip
ALSO = (
    "netty-codec-base-*", "netty-transport-classes-epoll-*",
    "netty-transport-native-unix-common-*", "snappy-java-*",
)  # fmt: skip
"""Jars used where they exist: it depends on the version of Spark."""

JVM = (
    "-Xmx256M", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Djava.awt.headless=true",
    "-Dlog4j2.loggerContextFactory=org.apache.logging.log4j.simple.SimpleLoggerContextFactory",
    "-Dorg.apache.logging.log4j.simplelog.level=INFO",
    "-Dorg.apache.logging.log4j.simplelog.showdatetime=true",
    "-Dorg.apache.logging.log4j.simplelog.dateTimeFormat=yyyy-MM-dd HH:mm:ss,SSS",
)  # fmt: skip
DEFAULTS = {
    "clientPort": "2181",
    "clientPortAddress": "127.0.0.1",
    "maxClientCnxns": "0",
    "tickTime": "1000",
    "minSessionTimeout": "2000",
    "maxSessionTimeout": "60000",
    "autopurge.purgeInterval": "1",
}
RECORD, CONFIG, LOG = "zookeeper.pid", "zookeeper.properties", "zookeeper.log"
PORT, SECURE_PORT = "clientPort", "secureClientPort"
ADDRESSES = {PORT: "clientPortAddress", SECURE_PORT: "secureClientPortAddress"}
NETTY = "org.apache.zookeeper.server.NettyServerCnxnFactory"
"""The only client port that speaks TLS."""
START_SECONDS = 60.0
FIRST_WORD = 0.2
"""Seconds to wait for an answer: ZooKeeper ignores questions until it serves, so ask again."""


def classpath(env: Mapping[str, str] | None = None) -> str:
    """The jars to run ZooKeeper with, from SPARK_HOME or the pyspark package.

    Raises PkoError, with what to install, where they are not.
    """
    env = os.environ if env is None else env
    folder = _jar_folder(env)
    if folder is None:
        raise PkoError(
            "ZooKeeper comes with PySpark, which is not installed: pip install "
            "'pykafka-ops[spark]', or set SPARK_HOME to where Spark is"
        )
    found: list[str] = []
    for pattern in (*JARS, *ALSO):
        jars = sorted(glob.glob(os.path.join(glob.escape(folder), f"{pattern}.jar")))
        if not jars and pattern in JARS:
            raise PkoError(
                f"no {pattern}.jar in {folder}: this Spark carries no ZooKeeper that can be run; "
                "pip install 'pyspark>=4'"
            )
        found += jars
    return os.pathsep.join(found)


def _jar_folder(env: Mapping[str, str]) -> str | None:
    homes = [env["SPARK_HOME"]] if env.get("SPARK_HOME") else []
    spec = importlib.util.find_spec("pyspark")
    homes += list(spec.submodule_search_locations or ()) if spec else []
    jars = [os.path.join(home, "jars") for home in homes]
    return next((folder for folder in jars if os.path.isdir(folder)), None)


class ZooKeeper(LocalProcess):
    """The ZooKeeper of one directory, which holds its data, settings, log and pid file.

    ``settings`` are those of zookeeper.properties on top of ``DEFAULTS``; ``clientPort`` 0 takes
    a free one, and the same again at the next start if it still is; so does ``secureClientPort``,
    that of TLS, which may be the only one. ``mortal``: it ends with the thread that starts it.
    """

    def __init__(
        self,
        directory: Path,
        settings: Mapping[str, str] | None = None,
        *,
        mortal: bool = False,
        fsync: bool = True,
        options: Sequence[str] = (),
    ) -> None:
        super().__init__(directory, "ZooKeeper", record=RECORD, log=LOG, mortal=mortal)
        given = settings or {}
        self.settings = {**DEFAULTS, **given}
        self.settings.setdefault("dataDir", str(self.directory))
        if SECURE_PORT in given:
            self.settings.setdefault("serverCnxnFactory", NETTY)
            self.settings.setdefault(ADDRESSES[SECURE_PORT], self.settings[ADDRESSES[PORT]])
            if PORT not in given:
                del self.settings[PORT], self.settings[ADDRESSES[PORT]]
        self.fsync, self.options = fsync, options

    @property
    def connect(self) -> str:
        """The ``host:port`` of ``zookeeper.connect``. Raises PkoError while it has no port.

        That of TLS where there is no other, else see :attr:`secure_connect`.
        """
        found = self._addresses()
        return self._connect(SECURE_PORT if SECURE_PORT in found and PORT not in found else PORT)

    @property
    def secure_connect(self) -> str:
        """The ``host:port`` of TLS. Raises PkoError while it has none."""
        return self._connect(SECURE_PORT)

    def _connect(self, name: str) -> str:
        found = self._addresses()
        if name not in found:
            which = "" if name == PORT else f" with a {name}"
            raise PkoError(f"no ZooKeeper was started on {self.directory}{which}")
        return str(found[name])

    def _addresses(self) -> dict[str, Any]:
        """By setting the ``host:port`` of the last start."""
        found = self.record().get("addresses")
        return found if isinstance(found, dict) else {}

    def start(self, seconds: float = START_SECONDS) -> str:
        """Start it in the background and wait until it serves; ``host:port``.

        Raises PkoError, naming the end of its log, where it does not.
        """
        if self.pid is not None:
            return self.connect
        before = self.log.stat().st_size if self.log.exists() else 0
        process = self.launch()
        ready = children.wait_until(
            lambda: process.poll() is not None or self.says(FIRST_WORD) is not None, seconds
        )
        if not ready or process.poll() is not None:
            self.kill()
            why = reason(self.log, before)
            raise PkoError(f"ZooKeeper did not start on {self.connect}: {why} (see {self.log})")
        return self.connect

    def says(self, seconds: float = 2.0) -> dict[str, str] | None:
        """As :func:`answers`; of one that speaks TLS alone nothing, but {} while it listens."""
        host, _, port = self.connect.rpartition(":")
        if PORT in self._addresses():
            return answers(host, int(port), seconds)
        return {} if children.accepts(host, int(port)) else None

    def launch(self) -> subprocess.Popen[bytes]:
        """Start the process without waiting. Raises PkoError or SettingError."""
        java = require_java(os.environ, JAVA_NEEDED, "ZooKeeper")
        jars = classpath()
        addresses = {name: self._address(name) for name in ADDRESSES if name in self.settings}
        self._write_config({name: str(port) for name, (_, port) in addresses.items()})
        sync = () if self.fsync else ("-Dzookeeper.forceSync=no",)
        argv = [java, *JVM, *sync, "-Dzookeeper.admin.enableServer=false",
                *self.options, "-cp", jars, MAIN,
                str(self.directory / CONFIG)]  # fmt: skip
        self.process = process = children.spawn(argv, self.log, mortal=self.mortal)
        shown = {name: f"{host}:{port}" for name, (host, port) in addresses.items()}
        self._write(process.pid, {"addresses": shown})
        return process

    def _address(self, name: str) -> tuple[str, int]:
        """Where clients connect: a given address is kept, port 0 becomes a free one."""
        given = self.settings.get(ADDRESSES[name]) or "0.0.0.0"
        host = "127.0.0.1" if given in ("0.0.0.0", "::") else given
        text = self.settings[name]
        if not text.isascii() or not text.isdigit() or int(text) > 65535:
            raise SettingError(f"{name}={text}: a port is a number from 0 to 65535")
        port = int(text)
        if port == 0:
            wish = str(self._addresses().get(name, "")).rpartition(":")[2]
            return host, children.free_port(host, int(wish) if wish.isdigit() else 0)
        if children.accepts(host, port):
            raise PkoError(
                f"something listens on {host}:{port} already: stop it, or choose another port "
                "(--port 0 for a free one)"
            )
        return host, port

    def _write_config(self, ports: Mapping[str, str]) -> None:
        """Write the settings for ZooKeeper, readable by this user alone since they hold passwords.

        Its admin server would need Jetty.
        """
        values = {k: v for k, v in self.settings.items() if not k.startswith("admin.")}
        path = self.directory / CONFIG
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
                out.write(format_properties({**values, **ports}).encode("latin-1"))
        except OSError as error:
            raise PkoError(f"cannot write to {self.directory}: {error.strerror}") from None


def answers(host: str, port: int, seconds: float = 2.0) -> dict[str, str] | None:
    """What it says of itself ("srvr"): ``Zookeeper version``, ``Mode``, ...; None if silent."""
    try:
        with socket.create_connection((host, port), seconds) as link:
            link.settimeout(seconds)
            link.sendall(b"srvr")
            data = b""
            while chunk := link.recv(4096):
                data += chunk
    except OSError:
        return None
    pairs = [line.partition(":") for line in data.decode(errors="replace").splitlines()]
    return {key.strip(): value.strip() for key, colon, value in pairs if colon} or None


def reason(log: Path, start: int = 0) -> str:
    """Why it ended: the innermost cause that its log names behind byte ``start``."""
    try:
        with log.open("rb") as file:
            file.seek(start)
            lines = file.read(1 << 20).decode(errors="replace").splitlines()
    except OSError:
        return "it wrote no log"
    causes = [line for line in lines if line.startswith("Caused by: ")]
    thrown = [line for line in lines if re.match(r"\s*[\w.$]+(Exception|Error)\b", line)]
    errors = [line for line in lines if " ERROR " in line or line.startswith("Error")]
    cause = (causes[-1:] or thrown[-1:] or errors[:1] or lines[-1:] or ["it said nothing"])[0]
    return cause.removeprefix("Caused by: ").strip()


def read_settings(path: str) -> dict[str, str]:
    """The settings of a zookeeper.properties file. Raises SettingError where there is none."""
    try:
        return parse_properties(Path(path).read_bytes())
    except OSError as error:
        raise SettingError(f"cannot read {path}: {error.strerror}") from None
