"""The file of users, ``NAME:HASH`` a line, read again whenever it changes."""

from __future__ import annotations

import logging
import os
import tempfile
import threading
from collections.abc import Mapping
from typing import Final

from pykafka_ops.errors import StorageError, UsageError
from pykafka_ops.monitor.access.passwords import PasswordHash, is_right, make, parse

MOST_BYTES: Final = 4 << 20
LONGEST_NAME: Final = 128
AT_A_TIME: Final = 2
"""Passwords that are checked at the same time: each takes 32 MiB and a core."""
log = logging.getLogger(__name__)


def checked_name(name: str) -> str:
    """A name that a line of the file can hold. UsageError."""
    fine = name.isprintable() and ":" not in name and name == name.strip()
    if not name or not fine or name.startswith("#") or len(name) > LONGEST_NAME:
        raise UsageError(
            f"{name[:40]!r} is no name of a user: 1 to {LONGEST_NAME} characters, no colon"
        )
    return name


def read(data: bytes, path: str) -> tuple[dict[str, PasswordHash], list[str]]:
    """The users of a file's content, and a line for everything that is wrong with it."""
    users: dict[str, PasswordHash] = {}
    wrong = []
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, colon, text = line.strip().partition(":")
        try:
            if not colon or checked_name(name) in users:
                raise UsageError("a second line for this user" if colon else "no colon")
            users[name] = parse(text)
        except UsageError as error:
            shown = name if colon and name.isprintable() else ""
            wrong.append(
                f"{path}, line {number}: {shown[:40]}{': ' if shown else ''}{error}; make the line "
                f"with pko monitor passwd NAME --file {path}"
            )
    return users, wrong


class UsersFile:
    """Who may log in, as the file says at this moment. UsageError where it is wrong at the start;
    later on a line that is wrong is a user who cannot log in."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._checks = threading.BoundedSemaphore(AT_A_TIME)
        self._users: Mapping[str, PasswordHash] = {}
        self._seen: object = None
        self._nobody = parse(make(os.urandom(16).hex()))
        try:
            wrong = self._read(os.stat(path))
        except OSError as error:
            raise UsageError(
                f"{path}: {error.strerror}; make it with pko monitor passwd NAME --file {path}"
            ) from None
        if wrong:
            raise UsageError(wrong[0])

    def hash_of(self, name: str) -> PasswordHash | None:
        """What the file has for a user now; None where it has none, or cannot be read."""
        with self._lock:
            self._refresh()
            return self._users.get(name)

    def is_right(self, name: str, password: str) -> PasswordHash | None:
        """The user's hash if that is the password. An unknown user takes as long as a known one."""
        found = self.hash_of(name)
        with self._checks:
            right = is_right(password, found or self._nobody)
        return found if right else None

    def _refresh(self) -> None:
        try:
            state = os.stat(self.path)
            if _stamp(state) == self._seen:
                return
            for line in self._read(state):
                log.warning("%s", line)
        except OSError as error:
            if self._users:
                log.warning("%s: %s: nobody can log in", self.path, error.strerror)
            self._users, self._seen = {}, None

    def _read(self, state: os.stat_result) -> list[str]:
        with open(self.path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            data = b""
            log.warning("%s: larger than %d bytes: nobody can log in", self.path, MOST_BYTES)
        self._users, wrong = read(data, self.path)
        self._seen = _stamp(state)
        return wrong


def put(path: str, name: str, password: str) -> bool:
    """Set a user's password; whether the user is new. The file is replaced at once, and for its
    owner alone if it is new. UsageError, StorageError."""
    line = f"{checked_name(name)}:{make(password)}"
    try:
        old = b""
        mode = 0o600
        if os.path.exists(path):
            mode = os.stat(path).st_mode & 0o777
            with open(path, "rb") as file:
                old = file.read()
        lines = old.decode("utf-8", "surrogateescape").splitlines()
        kept = [one for one in lines if one.strip().partition(":")[0] != name]
        text = "".join(f"{one}\n" for one in [*kept, line])
        _replace(path, text.encode("utf-8", "surrogateescape"), mode)
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}") from None
    return len(kept) == len(lines)


def _replace(path: str, data: bytes, mode: int) -> None:
    real = os.path.realpath(path)
    number, made = tempfile.mkstemp(dir=os.path.dirname(real), prefix=".users-")
    try:
        with os.fdopen(number, "wb") as file:
            file.write(data)
            file.flush()
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        os.replace(made, real)
    except BaseException:
        os.unlink(made)
        raise


def _stamp(state: os.stat_result) -> object:
    return state.st_mtime_ns, state.st_size, state.st_ino
