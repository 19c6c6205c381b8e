"""``pko zookeeper start``."""

from __future__ import annotations

import sys
import time

from pykafka_ops.commands.framework.asked_to_end import AskedToEnd
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.zookeeper.process import zookeeper_of
from pykafka_ops.errors import PkoError


def start(run: Run) -> int:
    """Run ZooKeeper until Ctrl-C or SIGTERM, or in the background with ``--daemon``."""
    args = run.args
    began = time.monotonic()
    zookeeper = zookeeper_of(args, mortal=not args.has("daemon"))
    found = zookeeper.running()
    if found is not None:
        raise PkoError(
            f"ZooKeeper runs on {zookeeper.directory} already (pid {found['pid']}, "
            f"{zookeeper.connect})"
        )
    ended = None if args.has("daemon") else AskedToEnd()
    connect = zookeeper.start()
    took = round((time.monotonic() - began) * 1000)
    sys.stdout.write(f"zookeeper ready on {connect} in {took} ms\n")
    sys.stdout.flush()
    if ended is None:
        return 0
    while not ended.wait(0.1):
        if zookeeper.running() is None:
            raise PkoError(f"ZooKeeper ended by itself; see {zookeeper.log}")
    zookeeper.stop()
    return 0
