"""What went wrong inside Spark, in one line.

An error of ours that was raised in a Python worker or a source comes back as text in an exception
of Spark's: it is raised again as what it was.
"""

from __future__ import annotations

import re

from pykafka_ops import errors
from pykafka_ops.errors import ConnectError, PkoError

_OURS = re.compile(r"(?:^|[\s:])pykafka_ops\.(?:\w+\.)*(\w+): (.+)$", re.MULTILINE)
_LEADING = re.compile(
    r"^(?:\[[A-Z_.]+\] |:? ?[\w.$]+(?:Exception|Error): |An error occurred while calling \S+"
    r"|Job aborted due to stage failure: )+"
)
_PYTHON = re.compile(
    r"Traceback \(most recent call last\):\n(?:[ \t].*\n|\n)*"
    r"(\w[\w.]*(?:Error|Exception|Exit)\b.*)$",
    re.MULTILINE,
)
"""What a traceback of Python ends with."""
_LOST = re.compile(r"most recent failure: (?:Lost task [^:]*: |Unknown executor exit code )(.+)")
_CAUSE = re.compile(r"^\s*Caused by: (.+)$", re.MULTILINE)
_EMPTY = ("thrown in awaitResult", "Failed to execute", "Unable to")
_MODULE = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'")
_ENDED = (
    "All masters are unresponsive",
    "Master removed our application",
    "Application has been killed",
    "SparkContext was shut down",
    "Cannot call methods on a stopped SparkContext",
)
"""What is said of an application that the master let go of."""
_MEMORY = ("OutOfMemoryError", "GC overhead limit", "exceeded memory limit")


def ours(error: Exception) -> PkoError | None:
    """The error of ours that one of Spark's tells of; None where it tells of none."""
    found = _OURS.findall(_text(error))
    if not found:
        return None
    name, said = found[-1]
    return _kinds().get(name, PkoError)(said.strip())


def explained(error: Exception, *, has_master: bool = True) -> PkoError:
    """The error to show for one that left Spark; without ``has_master`` all of it ran in the driver
    here, which nobody else ends."""
    if (found := ours(error)) is not None:
        return found
    text = _text(error)
    if any(word in text for word in _MEMORY):
        return PkoError(
            "Spark ran out of memory: give it more (--driver-memory 8g), or ask for less "
            "(--topic, --since)"
        )
    if missing := _MODULE.search(text):
        return PkoError(
            f"the executors' Python has no module {missing[1]}: PYSPARK_PYTHON must name one that "
            "has it, there, or --archives env.tar.gz#env bring it along"
        )
    if any(word in text for word in _ENDED) and not has_master:
        return PkoError(
            "Spark's driver ended in the middle of the report: memory may be short, give it more "
            "(--driver-memory 8g); --debug shows what it wrote"
        )
    if any(word in text for word in _ENDED):
        return ConnectError(
            "Spark's master ended the application, or no longer answers: was it killed there?"
        )
    if type(error).__name__ == "Py4JNetworkError" or _gone(type(error).__module__, text):
        return PkoError("Spark's driver ended by itself: --debug shows what it wrote")
    if "Python worker exited unexpectedly" in text:
        return PkoError(
            "Spark: a Python worker ended by itself; its executor's log says why: a module may be "
            "missing there (pyarrow, numpy), or memory"
        )
    if python := _PYTHON.findall(text):
        return PkoError(f"Spark: {python[-1][:500]}")
    lost = _LOST.search(text)
    return PkoError(f"Spark: {_plain(lost[1] if lost else text)}")


def _gone(module: str, text: str) -> bool:
    """Whether nobody answers on the connection to Java: what Java says comes with a class."""
    if not module.startswith("py4j") or "Exception: " in text:
        return False
    return any(w in text for w in ("Answer from Java side is empty", "network", "refused"))


def _text(error: Exception) -> str:
    """All that it says, the Java side's exception too."""
    java = getattr(error, "java_exception", None)
    said = str(error)
    if java is not None:
        said += f"\n{java}"
    return said


def _plain(text: str) -> str:
    """The first line that says something; of one that only passes on another, the root's."""
    lines = [_LEADING.sub("", line.strip()).strip(" .:") for line in text.splitlines()]
    first = next((line for line in lines if line), "the job failed")
    causes = _CAUSE.findall(text)
    if causes and any(word in first for word in _EMPTY):
        first = _LEADING.sub("", causes[-1]).strip(" .:") or first
    return first[:500]


def _kinds() -> dict[str, type[PkoError]]:
    """The kind in ``errors`` of every error of ours, by its name."""
    found: dict[str, type[PkoError]] = {}
    left: list[type[PkoError]] = [PkoError]
    while left:
        kind = left.pop()
        left += kind.__subclasses__()
        plain = next(k for k in kind.__mro__ if k.__module__ == errors.__name__)
        if issubclass(plain, PkoError) and not issubclass(plain, errors.KafkaError):
            found.setdefault(kind.__name__, plain)
    return found
