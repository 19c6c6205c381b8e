"""``pko configs set``, which is ``--alter`` in Kafka's form."""

from __future__ import annotations

import re

from pykafka_ops.client.configs import AlterOp
from pykafka_ops.commands.configs.alter import alter
from pykafka_ops.commands.configs.changes import apply, targets
from pykafka_ops.commands.configs.held import Change
from pykafka_ops.commands.framework.output import Table
from pykafka_ops.commands.framework.profile import read_properties
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import UsageError

_PAIR = re.compile(r"([^=+\s][^=]*?)\s*(\+=|-=|=)\s*(.*)", re.DOTALL)
_OPS = {"=": AlterOp.SET, "+=": AlterOp.APPEND, "-=": AlterOp.SUBTRACT}


def set_configs(run: Run) -> Table | None:
    """Settings from the words and from ``--file``. UsageError."""
    if run.args.flags:
        alter(run)
        return None
    entities, words = targets(run)
    changes = [_change(word) for word in words]
    path = run.args.text("file")
    if path is not None:
        changes += [(AlterOp.SET, key, value) for key, value in read_properties(path).items()]
    if not changes:
        raise UsageError("what to set? KEY=VALUE, KEY+=ITEM, KEY-=ITEM, or --file FILE")
    return apply(run, entities, changes)


def _change(word: str) -> Change:
    """The value may stand in brackets, as ``--add-config`` of Kafka's tool needs them."""
    match = _PAIR.fullmatch(word)
    if match is None:
        raise UsageError(f"{word}: write it as KEY=VALUE, KEY+=ITEM or KEY-=ITEM")
    value = match[3]
    if value.startswith("[") and value.endswith("]"):
        value = value[1:-1]
    return _OPS[match[2]], match[1].strip(), value
