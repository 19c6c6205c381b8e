"""The reports as one HTML file that needs nothing else: no network, no fonts, no scripts to read.

``render`` is all that others call.
"""

from pykafka_ops.spark.page.document import History, render

__all__ = ["History", "render"]
