"""Files that a command line names: an error in one says its name and line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pykafka_ops.client.failure_text import without_java
from pykafka_ops.errors import PkoError


@contextmanager
def in_file(path: str) -> Iterator[None]:
    """What goes wrong within is about this file: pko's form names it, the line and the reason."""
    try:
        yield
    except PkoError as error:
        error.ours = error.ours or _said(path, error)
        raise


def _said(path: str, error: PkoError) -> str:
    from json import JSONDecodeError

    reason: BaseException | None = error
    while isinstance(reason, PkoError):
        reason = reason.__context__
    if isinstance(reason, OSError):
        return f"{path}: {reason.strerror or reason}"
    if isinstance(reason, JSONDecodeError):
        return f"{path}, line {reason.lineno}: {reason.msg}"
    text = without_java(str(error))
    return text if text.startswith(path) else f"{path}: {text}"
