"""The path of the usual request: written once, straight through, with nothing that could wait.

``heads`` has the fields that it touches, of a partition, its log and its producers; the ordinary
classes extend them, so that there is one state. What is unusual is declined before anything is
done, and the ordinary code serves it. Most of the modules are compiled where that works.
"""

from __future__ import annotations

from pykafka_ops.compiled import use_library

use_library(f"{__name__}.heads")
