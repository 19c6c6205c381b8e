"""A command with every kind of option, whose verbs do nothing."""

from __future__ import annotations

from pykafka_ops.commands.framework.group import VerbGroup
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.types import COUNT, Choices, Matching
from pykafka_ops.commands.kafka_syntax.tool import Tool

NAME = Option("-n", "--name", metavar="NAME", multiple=True, help="a name")
STATE = Option("--state", metavar="STATES", bare="all", help="states",
               type=Matching("state", "(full|empty)(,(full|empty))*"))  # fmt: skip
LIST_OF = Option("--list-of", metavar="A,B", separator=",", help="split at commas")
COUNT = Option("-c", "--count", metavar="N", type=COUNT, help="how many")
FAST = Switch("-f", "--fast", help="hurry")
KIND = Option("--kind", metavar="KIND", type=Choices(("a", "b")), help="which")


def nothing(run: Run) -> None:
    """The work of every verb."""


demo = VerbGroup("demo", "Test.", nothing, tool=Tool("kafka-demo", "Test.", options=(LIST_OF,)))
demo.verb("show", "Show.", words=(Words(NAME, "*"),), options=(STATE, FAST), flag="show")
demo.verb("move", "Move.", words=(Words(NAME), Words(KIND)), options=(COUNT, FAST), flag="move")

runner = VerbGroup("runner", "Test.", nothing)
runner.verb(
    "run",
    "Run.",
    words=(Words(Option("--file", metavar="FILE")), Words(Option("--args", multiple=True), "*")),
    options=(FAST,),
    verbatim=True,
)
