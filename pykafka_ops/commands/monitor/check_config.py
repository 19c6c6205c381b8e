"""``pko monitor check-config``: is a configuration right?"""

from __future__ import annotations

import os

from pykafka_ops.commands.framework.output import Column, Table, say
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.monitor.access import access_problems
from pykafka_ops.commands.monitor.configured import ONLY, client_configs, read_config
from pykafka_ops.errors import UsageError
from pykafka_ops.monitor.alerts.settings.checked import Complaints
from pykafka_ops.monitor.alerts.settings.tables import read_alert_settings
from pykafka_ops.monitor.messages.decoding import SchemaFiles
from pykafka_ops.monitor.messages.settings import message_settings
from pykafka_ops.monitor.metrics.settings import metrics_settings
from pykafka_ops.monitor.probes.settings import probe_settings
from pykafka_ops.monitor.tiers.settings import book_settings

COLUMNS = (Column("cluster"), Column("brokers"), Column("protocol"))


def check_config(run: Run) -> Table:
    """The clusters that the file has the monitor watch; exit code 2 and a line if it is wrong."""
    path = run.args.texts("config")[0]
    config = read_config(path)
    _, problems = read_alert_settings(config.others, path)
    names = [one.name for one in config.clusters] or [ONLY]
    complaints = Complaints()
    complaints.of(lambda: metrics_settings(config.others, path))
    complaints.of(lambda: book_settings(config.others, path, names))
    complaints.of(lambda: probe_settings(config.others, path, names))
    complaints.of(lambda: SchemaFiles(message_settings(config.others, path, names).decode))
    problems += complaints.lines
    problems += access_problems(config.others, path)
    if problems:
        for line in problems[1:]:
            say(line)
        raise UsageError(problems[0])
    rows = [
        {
            "cluster": name,
            "brokers": ",".join(str(address) for address in client.bootstrap),
            "protocol": client.protocol,
        }
        for name, client in client_configs(config, run, os.environ).items()
    ]
    return Table("monitored-clusters", COLUMNS, rows)
