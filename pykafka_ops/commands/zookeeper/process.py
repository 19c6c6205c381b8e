"""The ZooKeeper of the PySpark wheel as a process on this machine, as options name it."""

from __future__ import annotations

import os
from pathlib import Path

from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.profile import default_dir
from pykafka_ops.local.zookeeper import ZooKeeper, read_settings
from pykafka_ops.security.java import jvm_options


def zookeeper_of(args: Args, *, mortal: bool = False) -> ZooKeeper:
    """From the properties file, then --data-dir and --port on top; ``KAFKA_OPTS`` are its JVM's,
    as with Kafka's script."""
    path = args.text("zookeeper-file")
    settings = read_settings(path) if path is not None else {}
    if path is not None:
        settings.setdefault("clientPortAddress", "0.0.0.0")
    port = args.text("port")
    if port is not None:
        settings["clientPort"] = port
    given = args.text("data-dir")
    if given is not None:
        settings["dataDir"] = str(Path(given).absolute())
    directory = settings.get("dataDir") or default_dir("zookeeper")
    settings["dataDir"] = str(Path(directory).absolute())
    options = jvm_options(os.environ)
    return ZooKeeper(Path(directory), settings, mortal=mortal, options=options)
