"""``pko spark serve``: one session that stays, for many reports and programs."""

from __future__ import annotations

import signal
import sys
import threading

from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.spark.ask import wish
from pykafka_ops.commands.spark.signals import ended_by_signals
from pykafka_ops.errors import UsageError


def serve(run: Run) -> int:
    """Say the URL once it can be used; 0 after SIGINT or SIGTERM."""
    port = run.args.number("port")
    if port is None or not 0 <= port < 65_536:
        raise UsageError("--port: from 0 to 65535")
    options = wish(run)
    if run.args.text("deploy-mode") == "cluster":
        raise UsageError("--deploy-mode cluster: the server runs on this machine")
    from pykafka_ops.spark.remote import need_client, serving

    need_client()
    with ended_by_signals(), serving(options, port, run.env) as url:
        ended = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: ended.set())
        sys.stdout.write(f"ready: --remote {url}\n")
        sys.stdout.flush()
        ended.wait()
    return 0
