"""Random messages: every field of a version filled with a legal value, extremes included."""

from __future__ import annotations

import random
from typing import Any

from pykafka_ops.wire import types as t
from pykafka_ops.wire.message import Field, table_of

RANGES = {
    "int8": (-(2**7), 2**7 - 1),
    "int16": (-(2**15), 2**15 - 1),
    "uint16": (0, 2**16 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
}
TEXTS = ("", "a", "topic-1", "größe", "日本", "x" * 126, "x" * 127, "y" * 200)


class Maker:
    """Makes values for one version; ``number`` may narrow what other libraries can take.

    ``small``: short arrays and strings, for tests that make very many messages.
    """

    def __init__(self, version: int, seed: int | str, *, small: bool = False) -> None:
        self.version = version
        self.rng = random.Random(seed)
        self.counts = (0, 1, 2) if small else (0, 1, 2, 3, 17)
        self.sizes = (0, 1, 130) if small else (0, 1, 126, 127, 128, 3000, 17000)

    def make(self, cls: type) -> Any:
        """An object of a declared class with random fields."""
        fields = [f for f in table_of(cls).fields if f.exists(self.version)]
        return cls(**{f.name: self.value(f) for f in fields})

    def value(self, field: Field) -> Any:
        """A random value of one field."""
        if field.is_tagged(self.version) and self.rng.random() < 0.5:
            return _default(field)
        if field.may_be_null(self.version) and self.rng.random() < 0.3:
            return None
        if field.array:
            return [self.one(field) for _ in range(self.rng.choice(self.counts))]
        return self.one(field)

    def one(self, field: Field) -> Any:
        """A random value, or a random element of an array."""
        kind = field.kind
        if isinstance(kind, type):
            return self.make(kind)
        if kind.name in RANGES:
            return self.number(field, *RANGES[kind.name])
        if kind is t.STRING:
            return self.rng.choice(TEXTS)
        if kind is t.BOOL:
            return self.rng.random() < 0.5
        if kind is t.FLOAT64:
            return self.rng.choice((0.0, -1.5, 1e300, self.rng.random()))
        if kind is t.UUID:
            return self.rng.choice((t.ZERO_UUID, self.rng.randbytes(16)))
        return self.rng.randbytes(self.rng.choice(self.sizes))

    def number(self, field: Field, low: int, high: int) -> int:
        """A random integer of a field."""
        return self.rng.choice((0, 1, low, high, -1 if low else 1, self.rng.randint(low, high)))


def _default(field: Field) -> Any:
    default = field.default
    if isinstance(default, type):
        return default()
    return list(default) if isinstance(default, list) else default
