"""The broker's loggers and their levels, as the configs APIs show and change them (KIP-412).

The names are those of Kafka's classes, the levels those of log4j. A change lasts until the
broker stops. Counterpart of ``kafka.utils.Log4jController`` and ``RuntimeLoggerManager``.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from pykafka_ops.broker.state.configs.alter import Change, Op
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

ROOT = "root"
TRACE = 5
LEVELS = {
    "DEBUG": logging.DEBUG,
    "ERROR": logging.ERROR,
    "FATAL": logging.CRITICAL,
    "INFO": logging.INFO,
    "TRACE": TRACE,
    "WARN": logging.WARNING,
}


def level_name(level: int) -> str:
    """The log4j level a Python level falls under."""
    for name, number in sorted(LEVELS.items(), key=lambda item: -item[1]):
        if level >= number:
            return name
    return "TRACE"


def loggers() -> dict[str, str]:
    """Every logger by name with the level that counts, inherited or its own."""
    found = {ROOT: level_name(logging.root.level)}
    for name, logger in sorted(logging.root.manager.loggerDict.items()):
        if isinstance(logger, logging.Logger):
            found[name] = level_name(logger.getEffectiveLevel())
    return found


def check(changes: Sequence[Change]) -> None:
    """Raise KafkaError for a logger that does not exist, or a level or operation that does not."""
    known = loggers()
    for name, op, value in changes:
        if op in (Op.APPEND, Op.SUBTRACT):
            text = f"{Op(op).name} operation is not allowed for the BROKER_LOGGER resource"
            raise KafkaError(ErrorCode.INVALID_REQUEST, text)
        if op not in (Op.SET, Op.DELETE):
            text = f"Unknown operation type {op} is not allowed for the BROKER_LOGGER resource"
            raise KafkaError(ErrorCode.INVALID_REQUEST, text)
        if name not in known:
            raise KafkaError(ErrorCode.INVALID_CONFIG, f"Logger {name} does not exist!")
        if op == Op.SET and value not in LEVELS:
            raise KafkaError(
                ErrorCode.INVALID_CONFIG,
                f"Cannot set the log level of {name} to {value} as it is not a supported log "
                f"level. Valid log levels are {', '.join(sorted(LEVELS))}",
            )
        if op == Op.DELETE and name == ROOT:
            text = f"Removing the log level of the {ROOT} logger is not allowed"
            raise KafkaError(ErrorCode.INVALID_REQUEST, text)


def change(changes: Sequence[Change]) -> None:
    """Set levels, or let loggers inherit theirs again; ``check`` comes first."""
    logging.addLevelName(TRACE, "TRACE")
    for name, op, value in changes:
        logger = logging.root if name == ROOT else logging.getLogger(name)
        logger.setLevel(LEVELS[value or ""] if op == Op.SET else logging.NOTSET)
