"""The Python of executors: how seldom its tasks look for garbage, and what is wrong with it once a
report has failed there.

It is asked through Java (``JavaRDD.pipe``), since a Python that lacks modules cannot be one of
Spark's workers, and ends without a word.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from pykafka_ops.errors import PkoError
from pykafka_ops.spark.master import is_local

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

MODULES = ("numpy", "pyarrow", "numba", "cramjam", "google_crc32c")
"""What reports need there; this package is shipped along."""
REMEDY = (
    "pip install 'pykafka-ops[spark]' for it there, let PYSPARK_PYTHON name a Python that has them "
    "there, or bring one along: --archives env.tar.gz#env"
)
SIGNS = (
    "Python worker exited unexpectedly",
    "Python worker failed to connect back",
    "Cannot run program",
    "ModuleNotFoundError",
)
"""What Spark says where the Python is at fault."""
COLLECT_AFTER: Final = (20_000, 10, 10)
"""Objects made, and collections, before a task looks for the next generation of garbage, as in
``pko`` itself: rows hold no cycles."""
PROGRAM = f"""import sys
from importlib.util import find_spec
lacking = [name for name in {MODULES!r} if find_spec(name) is None]
print(sys.executable, "%d.%d" % sys.version_info[:2], ",".join(lacking), sep="\\t")
"""


def collecting_rarely(
    task: Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]],
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The same task for one of Spark's workers, which looks for garbage as seldom as ``pko``."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        gc.set_threshold(*COLLECT_AFTER)
        return task(batches)

    return run


def at_fault(spark: SparkSession, error: Exception) -> PkoError | None:
    """What is wrong with the executors' Python, where a report failed for that: which one it is,
    what it lacks, what to do. None where it is well, cannot be asked, or is the driver's own."""
    said = f"{error}\n{getattr(error, 'java_exception', '')}"
    if is_local(spark.sparkContext.master or "") or not any(sign in said for sign in SIGNS):
        return None
    python = spark.sparkContext.pythonExec
    try:
        answers = _answers(spark, python)
    except Exception as trouble:
        gone = "Cannot run program" in f"{trouble}{getattr(trouble, 'java_exception', '')}"
        text = f"the executors cannot run {python}, which is to be their Python: {REMEDY}"
        return PkoError(text) if gone else None
    lacking = [answer.split("\t") for answer in sorted(answers) if not answer.endswith("\t")]
    if not lacking:
        return None
    where, version, modules = lacking[0]
    return PkoError(
        f"the Python of the executors, {where or python} ({version}), has no "
        f"{modules.replace(',', ', ')}: {REMEDY}"
    )


def _answers(spark: SparkSession, python: str) -> set[str]:
    """What the Python of each executor prints, as long as tasks spread over all of them."""
    context = spark.sparkContext
    jvm: Any = context._jvm
    command = jvm.java.util.ArrayList()
    for word in (python, "-c", PROGRAM):
        command.add(word)
    tasks = jvm.java.util.ArrayList()
    for number in range(max(context.defaultParallelism, 2)):
        tasks.add(number)
    return set(context._jsc.parallelize(tasks, len(tasks)).pipe(command).collect())
