"""Settings of quotas and metrics."""

from __future__ import annotations

from pykafka_ops.settings.rows import (
    BOOLEAN,
    CLASS,
    CLUSTER_WIDE,
    INT,
    LIST,
    LONG,
    LOW,
    REFUSE,
    STRING,
    WARN,
    row,
)
from pykafka_ops.settings.setting import Setting
from pykafka_ops.settings.validators import Range

# fmt: off
ROWS: tuple[Setting, ...] = (
    row("quota.window.num", INT, 11, Range(1), LOW,
        doc="Samples kept for client quotas."),
    row("quota.window.size.seconds", INT, 1, Range(1), LOW,
        doc="Length in seconds of a sample for client quotas."),
    row("replication.quota.window.num", INT, 11, Range(1), LOW,
        doc="Samples kept for replication throttles."),
    row("replication.quota.window.size.seconds", INT, 1, Range(1), LOW,
        doc="Length in seconds of a sample for replication throttles."),
    row("alter.log.dirs.replication.quota.window.num", INT, 11, WARN, Range(1), LOW,
        doc="Samples kept for the throttle of moves between directories."),
    row("alter.log.dirs.replication.quota.window.size.seconds", INT, 1, WARN, Range(1), LOW,
        doc="Length in seconds of a sample for that throttle."),
    row("controller.quota.window.num", INT, 11, Range(1), LOW,
        doc="Samples kept for controller mutation quotas."),
    row("controller.quota.window.size.seconds", INT, 1, Range(1), LOW,
        doc="Length in seconds of a sample for controller mutation quotas."),
    row("client.quota.callback.class", CLASS, None, LOW, REFUSE,
        doc="Java class that decides client quotas."),
    row("metrics.num.samples", INT, 2, Range(1), LOW, WARN,
        doc="Samples kept for a metric."),
    row("metrics.sample.window.ms", LONG, 30000, Range(1), LOW, WARN,
        doc="Length in ms of a sample of a metric."),
    row("metric.reporters", LIST, "", LOW, CLUSTER_WIDE, WARN,
        doc="Java classes that report metrics."),
    row("metrics.recording.level", STRING, "INFO", LOW, WARN,
        doc="Which metrics are recorded: INFO, DEBUG or TRACE."),
    row("auto.include.jmx.reporter", BOOLEAN, True, LOW, WARN,
        doc="Whether metrics are reported over JMX."),
    row("kafka.metrics.reporters", LIST, "", LOW, WARN,
        doc="Java classes that report the older metrics."),
    row("kafka.metrics.polling.interval.secs", INT, 10, Range(1), LOW, WARN,
        doc="Time in seconds between two reports of the older metrics."),
    row("telemetry.max.bytes", INT, 1_048_576, Range(1), LOW, WARN,
        doc="Largest metrics push of a client accepted, in bytes."),
)
# fmt: on
