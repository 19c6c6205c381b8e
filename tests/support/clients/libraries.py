"""Clients of every library, as they get into a cluster by an entry, or hear that they may not."""

from __future__ import annotations

import contextlib
import itertools
import logging
import re
from collections.abc import Iterator

from confluent_kafka.admin import AdminClient

from tests.support.clients import entries
from tests.support.clients.aio import AioClient
from tests.support.clients.base import Client, RefusedError
from tests.support.clients.confluent import ConfluentClient
from tests.support.clients.entries import Entry
from tests.support.clients.java import JavaClient
from tests.support.clients.kafka_python import KafkaPythonClient
from tests.support.java import java_kit
from tests.support.waiting import wait_for

PYTHON = ("confluent-kafka", "kafka-python", "aiokafka")
JAVA = tuple(f"java-{version}" for version in java_kit.CLIENTS)
ALLOWED = "-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls"
TOPIC = "never"
TRIES_MS = 500
"""How long kafka-python tries, and twice as long the next time: by itself, half a minute, whatever
it hears."""


class Libraries:
    """The Java clients of a version share a JVM; they ask for tokens at ``tokens_url``."""

    def __init__(self, tokens_url: str) -> None:
        self._tokens_url = tokens_url
        self._jvms: dict[str, JavaClient] = {}

    def client(self, library: str, entry: Entry) -> Client:
        """A client that goes in there when it is first asked for something."""
        if library == "confluent-kafka":
            return ConfluentClient(entry.where, **entries.librdkafka(entry))
        if library == "kafka-python":
            return KafkaPythonClient(
                entry.where, **entries.python(entry, entries.KafkaPythonTokens)
            )
        if library == "aiokafka":
            return AioClient(entry.where, **entries.python(entry, entries.AioTokens))
        if library not in self._jvms:
            version = library.removeprefix("java-")
            self._jvms[library] = JavaClient(version, f"{ALLOWED}={self._tokens_url}")
        self._jvms[library].connect(entries.java(entry))
        return self._jvms[library]

    def complaint(self, library: str, entry: Entry, words: str) -> str:
        """What a client says that may not go in there: its exception, the errors that it calls back
        with, the lines that it logs. Those that try again have time until they say ``words``, an
        expression."""
        if library == "confluent-kafka":
            return _of_librdkafka(entry, words)
        if library == "kafka-python":
            # Where the broker's answer and its hanging up come at once, it drops the answer.
            tries = (TRIES_MS << number for number in itertools.count())
            return wait_for(
                lambda: _with(words, self._complaint(library, entry, next(tries))), what=words
            )
        return self._complaint(library, entry)

    def _complaint(self, library: str, entry: Entry, tries_ms: int = TRIES_MS) -> str:
        with _lines_of(library) as lines:
            try:
                client = self.client(library, entry)
                if isinstance(client, KafkaPythonClient):
                    client.extra["bootstrap_timeout_ms"] = tries_ms
                client.create_topic(TOPIC)
            except (RefusedError, AttributeError) as error:  # aiokafka does not look at all answers
                return "\n".join((*lines, repr(error)))
        raise AssertionError(f"{library} gets in")

    def close(self) -> None:
        for client in self._jvms.values():
            client.close()


def _with(words: str, text: str) -> str:
    return text if re.search(words, text) else ""


def _of_librdkafka(entry: Entry, words: str) -> str:
    texts: list[str] = []
    callback = {"error_cb": lambda error: texts.append(error.str())}
    admin = AdminClient({"bootstrap.servers": entry.where, **entries.librdkafka(entry), **callback})

    def heard() -> str:
        admin.poll(0.05)
        return _with(words, "\n".join(texts))

    return wait_for(heard, what=words, about=texts)


@contextlib.contextmanager
def _lines_of(library: str) -> Iterator[list[str]]:
    """What a library in Python logs meanwhile."""
    lines: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger({"kafka-python": "kafka"}.get(library, library))
    logger.addHandler(handler)
    try:
        yield lines
    finally:
        logger.removeHandler(handler)
