"""Serves the pages of a made-up cluster of 1,000 brokers, 100,000 partitions and 10,000 groups, as
``pko monitor`` serves those of a real one, until stdin ends. Prints its address.

``python -m scripts.benchmarks.monitor_served DIRECTORY SECONDS``: a round comes every so many.
"""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

from pykafka_ops.monitor.alerts.service import AlertService
from pykafka_ops.monitor.alerts.settings.tables import alert_settings
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.cluster.watcher import now_ms
from pykafka_ops.monitor.history.store import History
from pykafka_ops.monitor.http.app import make_app
from pykafka_ops.monitor.http.doors import all_routes
from pykafka_ops.monitor.http.server import HttpServer
from pykafka_ops.monitor.keeper import Keeper
from pykafka_ops.monitor.service import Service, ShownCluster
from tests.support.monitor.large_rounds import EVERY_MS, LargeRounds

CLUSTER = "large"
BEFORE = 2
"""Rounds that are known at the start."""


def main(argv: list[str]) -> None:
    directory, seconds = Path(argv[0]), float(argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    watched, history = WatchedCluster(CLUSTER), History(directory / "history.db")
    alerts = AlertService(alert_settings({}, "-"), str(directory / "alerts.db"), [CLUSTER])
    keeper = Keeper(history, alerts)
    rounds = LargeRounds(now_ms() - BEFORE * EVERY_MS)
    for _ in range(BEFORE):
        keeper.hear(watched, watched.take(rounds.next()))
    shown = {CLUSTER: ShownCluster(("b1:9092",), EVERY_MS)}
    service = Service({CLUSTER: watched}, shown, history=history, alerts=alerts)
    server = HttpServer(make_app(service, all_routes()), "127.0.0.1", 0)
    server.start()
    alerts.start()
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(seconds):
            answers, cpu = rounds.next(), time.thread_time()
            keeper.hear(watched, watched.take(answers))
            print(f"a round cost {time.thread_time() - cpu:.1f} s", file=sys.stderr, flush=True)

    watcher = threading.Thread(target=watch)
    watcher.start()
    print(f"http://127.0.0.1:{server.port}/c/{CLUSTER}", flush=True)
    sys.stdin.read()
    ended.set()
    watcher.join()
    server.stop()
    alerts.close()
    history.close()


if __name__ == "__main__":
    main(sys.argv[1:])
