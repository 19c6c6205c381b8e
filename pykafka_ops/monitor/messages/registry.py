"""Schemas by their ids in a schema registry (Confluent's API), kept for a while.

Every question has a thread of its own, so that a registry which is slow holds up no search longer
than the search allows; what it says then is there for the next record.
"""

from __future__ import annotations

import threading
import time
from base64 import b64decode
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from pykafka_ops.errors import DeserializeError, PkoError
from pykafka_ops.monitor.messages.registry_http import RegistryError, ask_registry
from pykafka_ops.monitor.messages.settings import RegistrySettings
from pykafka_ops.payload.avro import schema_reader
from pykafka_ops.payload.exact_json import read_json
from pykafka_ops.payload.protobuf import ProtobufFiles, read_indexes
from pykafka_ops.payload.registry_answers import field_of, references

KEPT: Final = 500
"""Schemas that are kept; the least used goes first."""
AGAIN_SECONDS: Final = 10.0
"""How long a failure stands before the registry is asked again."""
UNKNOWN_SECONDS: Final = 60.0
ASKING: Final = 4
"""Questions at a time."""
Read = Callable[[bytes], object]
Ask = Callable[[RegistrySettings, str], Any]


class WrittenSchema(NamedTuple):
    """A schema: ``kind`` avro, json or protobuf; its name; what reads the bytes behind the id."""

    kind: str
    name: str
    read: Read


class _Entry:
    """What is known of an id: a schema, or why there is none, and until when that stands."""

    def __init__(self) -> None:
        self.ready = threading.Event()
        self.schema: WrittenSchema | None = None
        self.error = ""
        self.until = float("inf")


class SchemaRegistry:
    """The registry of a cluster; for many threads. ``ask`` puts one question."""

    def __init__(
        self,
        settings: RegistrySettings,
        *,
        ask: Ask = ask_registry,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings, self._ask, self._clock = settings, ask, clock
        self._lock = threading.Lock()
        self._known: OrderedDict[int, _Entry] = OrderedDict()
        self._asking = threading.Semaphore(ASKING)

    def schema(self, number: int, seconds: float) -> WrittenSchema:
        """The schema of an id, waited for so long at most. DeserializeError with the reason."""
        entry = self._entry(number)
        if not entry.ready.wait(max(0.0, seconds)):
            raise DeserializeError(f"schema {number}: the registry has not answered yet")
        if entry.schema is None:
            raise DeserializeError(f"schema {number}: {entry.error}")
        return entry.schema

    def _entry(self, number: int) -> _Entry:
        with self._lock:
            entry = self._known.get(number)
            if entry is not None and (not entry.ready.is_set() or self._clock() < entry.until):
                self._known.move_to_end(number)
                return entry
            entry = self._known[number] = _Entry()
            self._known.move_to_end(number)
            while len(self._known) > KEPT:
                self._known.popitem(last=False)
        if self._asking.acquire(blocking=False):
            threading.Thread(
                target=self._learn, args=(number, entry), name="schema-registry", daemon=True
            ).start()
        else:
            self._failed(entry, "the registry is slow, enough questions wait for it", 1.0)
        return entry

    def _learn(self, number: int, entry: _Entry) -> None:
        try:
            entry.schema = self._written(number)
        except RegistryError as error:
            seconds = UNKNOWN_SECONDS if error.lasting else AGAIN_SECONDS
            self._failed(entry, str(error), seconds)
        except PkoError as error:
            self._failed(entry, str(error), UNKNOWN_SECONDS)
        except Exception as error:  # of a hostile schema: it is one that cannot be read
            self._failed(entry, f"cannot be read: {type(error).__name__}", UNKNOWN_SECONDS)
        finally:
            self._asking.release()
            entry.ready.set()

    def _failed(self, entry: _Entry, error: str, seconds: float) -> None:
        entry.error, entry.until = error, self._clock() + seconds
        entry.ready.set()

    # --- schemas ---------------------------------------------------------------------------------

    def _written(self, number: int) -> WrittenSchema:
        path = f"/schemas/ids/{number}"
        body = self._ask(self._settings, path)
        kind = field_of(body, "schemaType", "AVRO").upper()
        if kind == "JSON":
            return WrittenSchema("json", "", lambda data: read_json(data))
        if kind == "AVRO":
            named = [text for _, text in self._references(body)]
            text = field_of(body, "schema")
            read = schema_reader(text, "schema", named)
            return WrittenSchema("avro", _avro_name(text), read)
        if kind != "PROTOBUF":
            raise DeserializeError(f"its type {kind[:40]} is not known here")
        return self._protobuf(self._ask(self._settings, f"{path}?format=serialized"))

    def _references(self, body: Any, form: str = "") -> list[tuple[str, str]]:
        return references(body, lambda path: self._ask(self._settings, path), form)

    def _protobuf(self, body: Any) -> WrittenSchema:
        main = "schema.proto"
        files = {name: _descriptor(text) for name, text in self._references(body, "serialized")}
        files[main] = _descriptor(field_of(body, "schema"))
        made = ProtobufFiles(files, "schema")
        readers: dict[tuple[int, ...], Read] = {}

        def read(data: bytes) -> object:
            path, at = read_indexes(data)
            if path not in readers:
                readers[path] = made.by_index(main, path)
            return readers[path](data[at:])

        return WrittenSchema("protobuf", "", read)


def _descriptor(text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except ValueError:
        raise DeserializeError(
            "the registry gives Protobuf as text only (no format=serialized); "
            "name a descriptor file in [decode.NAME]"
        ) from None


def _avro_name(text: str) -> str:
    """The full name of an Avro schema, "" where it has none."""
    written = read_json(text)
    if not isinstance(written, dict) or not isinstance(written.get("name"), str):
        return ""
    space, name = written.get("namespace"), written["name"]
    return f"{space}.{name}" if isinstance(space, str) and space and "." not in name else name
