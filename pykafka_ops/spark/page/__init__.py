"""The reports as one HTML file that needs nothing else: no network, no fonts, no scripts to read.

``render`` and ``verdicts`` are all that others call.
"""

from pykafka_ops.spark.page.document import History, ReportVerdict, render, verdicts

__all__ = ["History", "ReportVerdict", "render", "verdicts"]
