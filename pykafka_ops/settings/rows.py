"""Short words for writing settings tables: one call a row, marks in any order."""

from __future__ import annotations

import sys
from enum import Enum
from typing import TypeAlias

from pykafka_ops.settings.setting import Setting, Support, Synonym, Update
from pykafka_ops.settings.types import Type, Value, show
from pykafka_ops.settings.validators import Validator


class Mark(Enum):
    """INTERNAL: works, but is not listed unless set."""

    INTERNAL = "internal"


Marks: TypeAlias = Update | Support | Mark | Synonym | Validator

BOOLEAN, STRING, INT, SHORT, LONG = Type.BOOLEAN, Type.STRING, Type.INT, Type.SHORT, Type.LONG
DOUBLE, LIST, CLASS, PASSWORD = Type.DOUBLE, Type.LIST, Type.CLASS, Type.PASSWORD
CLUSTER_WIDE, PER_BROKER = Update.CLUSTER_WIDE, Update.PER_BROKER
WARN, REFUSE = Support.WARN, Support.REFUSE
INTERNAL = Mark.INTERNAL
MAX_INT, MAX_LONG, MAX_DOUBLE = 2**31 - 1, 2**63 - 1, sys.float_info.max


def row(name: str, kind: Type, default: Value, *marks: Marks, doc: str) -> Setting:
    """A setting; without marks it is honoured and read-only."""
    update, support = Update.READ_ONLY, Support.HONOURED
    validator: Validator | None = None
    for mark in marks:
        match mark:
            case Update():
                update = mark
            case Support():
                support = mark
            case Mark() | Synonym():
                pass
            case _:
                validator = mark
    return Setting(
        name=name,
        type=kind,
        default=show(default),
        doc=doc,
        validator=validator,
        update=update,
        support=support,
        internal=INTERNAL in marks,
        synonyms=tuple(mark for mark in marks if isinstance(mark, Synonym)),
    )


def table(*settings: Setting) -> dict[str, Setting]:
    """The settings by name, in their order."""
    return {setting.name: setting for setting in settings}
