"""The Python of a cluster's executors: looked at once a report has failed there.

It is asked through Java (``JavaRDD.pipe``), since a Python that lacks modules cannot be one of
Spark's workers, and ends without a word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pykafka_ops.errors import PkoError
from pykafka_ops.spark.master import is_local

if TYPE_CHECKING:
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
PROGRAM = f"""import sys
from importlib.util import find_spec
lacking = [name for name in {MODULES!r} if find_spec(name) is None]
print(sys.executable, "%d.%d" % sys.version_info[:2], ",".join(lacking), sep="\\t")
"""


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
