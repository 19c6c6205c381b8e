"""``pko monitor run``: the daemon."""

from __future__ import annotations

import gc
import logging
import os
import sys
from dataclasses import replace
from pathlib import Path

from pykafka_ops.commands.framework.asked_to_end import AskedToEnd
from pykafka_ops.commands.framework.output import say
from pykafka_ops.commands.framework.profile import default_dir
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.monitor.access import checked_access, known_hosts
from pykafka_ops.commands.monitor.configured import client_configs, read_config
from pykafka_ops.errors import StorageError, UsageError
from pykafka_ops.monitor.config import LEAST_POLL_MS, MonitorConfig

MISSING = "pko monitor needs packages that are not installed: pip install 'pykafka-ops[monitor]'"
COLLECT_AFTER = (50_000, 20, 100)
"""Objects made, and collections, before the next generation of garbage is looked for. A round makes
a hundred thousand that live until the next one and hold no cycles: Python's own 700 take as long to
look through them as all the rest of the round."""


def serve(run: Run) -> int:
    """Watch and answer until SIGTERM or Ctrl-C."""
    config = _config(run)
    clients = client_configs(config, run, os.environ)
    source = run.args.text("config") or "the configuration"
    access = checked_access(config, source, insecure=run.args.has("insecure"))
    try:
        from pykafka_ops.monitor.daemon import Monitor
    except ModuleNotFoundError as error:
        raise UsageError(f"{MISSING} ({error.name})") from None
    logging.basicConfig(
        stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s"
    )
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    hosts = known_hosts(config, access, insecure=run.args.has("insecure"))
    monitor = Monitor(config, clients, _data_dir(config), hosts, source, access)
    ended = AskedToEnd()
    gc.set_threshold(*COLLECT_AFTER)
    monitor.start()
    say(f"pko monitor: {monitor.url} watches {', '.join(clients)}")
    ended.wait()
    monitor.stop()
    return 0


def _data_dir(config: MonitorConfig) -> Path:
    """Where history and alerts are kept. StorageError."""
    path = Path(os.path.expanduser(config.data) if config.data else default_dir("monitor"))
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise StorageError(f"cannot make {path}: {error.strerror}") from None
    return path


def _config(run: Run) -> MonitorConfig:
    """The file, with what the command line says on top."""
    path = run.args.text("config")
    config = read_config(path) if path else MonitorConfig()
    every = run.args.span("every")
    if every is not None and every < LEAST_POLL_MS:
        raise UsageError(f"--every {run.args.text('every')}: a second is the shortest")
    return replace(
        config,
        listen=run.args.text("listen") or config.listen,
        data=run.args.text("data-dir") or config.data,
        poll_ms=every or config.poll_ms,
    )
