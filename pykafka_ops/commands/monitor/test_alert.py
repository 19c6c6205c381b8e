"""``pko monitor test-alert``: send a test message to a receiver."""

from __future__ import annotations

from pykafka_ops.commands.framework.output import say
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.monitor.configured import read_config
from pykafka_ops.errors import UsageError
from pykafka_ops.monitor.alerts.service import send_test
from pykafka_ops.monitor.alerts.settings.tables import alert_settings
from pykafka_ops.monitor.cluster.watcher import now_ms


def test_alert(run: Run) -> int:
    """Send it now; exit code 1 and the reason where a receiver does not take it."""
    path = run.args.text("config")
    if path is None:
        raise UsageError("which receivers? give --config FILE with [notify.NAME]")
    settings = alert_settings(read_config(path).others, path)
    say(send_test(settings, run.args.texts("alert")[0], now_ms()))
    return 0
