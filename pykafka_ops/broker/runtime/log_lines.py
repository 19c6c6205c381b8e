"""The lines of the broker's log: their layout, and which are left out."""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Mapping
from datetime import UTC, datetime

from pykafka_ops.broker.runtime.sockets import request_log

log = logging.getLogger("kafka.server.KafkaServer")

REPEAT_S = 10.0
MOST_TEXTS = 1000
CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160))}
CONTROLS |= {0x2028: "\\u2028", 0x2029: "\\u2029"}
TIME_FORMAT = "%Y-%m-%d %H:%M:%S"
LOG_FORMAT = "[%(asctime)s,%(msecs)03d] %(levelname)s %(message)s (%(name)s)"


class OneLine(logging.Formatter):
    """Shows control characters as escapes: clients choose names, but neither lines nor colours."""

    def __init__(self) -> None:
        super().__init__(LOG_FORMAT, TIME_FORMAT)
        self._second = -1
        self._time = ""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record, and the lines of a traceback behind it."""
        if record.exc_info or record.exc_text or record.stack_info:
            return super().format(record)
        record.message = record.getMessage()
        return self.formatMessage(record)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """The line of a record, without a traceback's lines."""
        second = int(record.created)
        if second != self._second:  # all lines of a second have that in common
            self._second, self._time = second, self.formatTime(record, TIME_FORMAT)
        record.asctime = self._time
        line = super().formatMessage(record)
        return line if line.isprintable() else line.translate(CONTROLS)


class LogObjects(logging.Formatter):
    """One JSON object a line, in ASCII: ``time`` (RFC 3339, UTC, ms), ``level``, ``logger``,
    ``thread``, ``message``, ``exception`` where there is one, and what is said of the process."""

    def __init__(self, said: Mapping[str, str]) -> None:
        super().__init__()
        self._said = dict(said)

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record, with escapes for control and non-ASCII characters."""
        at = datetime.fromtimestamp(record.created, UTC)
        fields = {
            "time": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname,
            "logger": record.name,
            "thread": record.threadName,
            **self._said,
            "message": record.getMessage(),
        }
        if record.exc_info:
            fields["exception"] = self.formatException(record.exc_info)
        return json.dumps(fields)


class Repeats(logging.Filter):
    """Of warnings and errors with the same words one in ``REPEAT_S`` seconds, with the number of
    those left out: a client that tries again and again must not fill the log."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: dict[int, tuple[float, int]] = {}
        """When each was last written (seconds), and how often it came since; by the hash of its
        text, which can be long."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the line is to be written."""
        if record.levelno < logging.WARNING or record.exc_info:
            return True
        text = record.getMessage()
        key = hash((record.name, text))
        written, more = self._seen.pop(key, (0.0, 0))
        if 0 <= record.created - written < REPEAT_S:
            self._seen[key] = written, more + 1
            return False
        if more:
            since = time.strftime("%H:%M:%S", time.localtime(written))
            record.msg, record.args = f"{text} ({more} times more since {since})", ()
        self._seen[key] = record.created, 0
        if len(self._seen) > MOST_TEXTS:
            del self._seen[next(iter(self._seen))]
        return True


def set_up_log(path: str | None, level: str, json_of: Mapping[str, str] | None = None) -> None:
    """Log to ``path``, or to stderr, in the layout of Kafka's log4j; with ``json_of`` as JSON, and
    these fields in every line."""
    handler: logging.Handler = (
        logging.FileHandler(path, encoding="utf-8") if path else logging.StreamHandler(sys.stderr)
    )
    handler.setFormatter(OneLine() if json_of is None else LogObjects(json_of))
    handler.addFilter(Repeats())
    _look_up_little(threads=json_of is not None)
    logging.raiseExceptions = False  # a full disk loses lines; errors on stderr would help nobody
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    logging.getLogger("asyncio").setLevel(logging.WARNING)
    # As in Kafka's log4j.properties: a line for each request only where it is asked for.
    logging.getLogger(request_log.NAME).setLevel(logging.WARNING)


def _look_up_little(*, threads: bool) -> None:
    """Have the caller's place, process and (unless wanted) thread not looked up for each line: no
    line shows them (see "Optimization" in Python's documentation of logging)."""
    logging._srcfile = None
    logging.logThreads = threads
    logging.logProcesses = logging.logMultiprocessing = False


def reopen_log() -> None:
    """Go on in a new file of the same name: the old one was moved away."""
    for handler in logging.getLogger().handlers:
        if isinstance(handler, logging.FileHandler):
            handler.close()  # the next line opens it
    log.info("SIGHUP: reopened the log files")
