"""A command with every kind of option, whose verbs do nothing."""

from __future__ import annotations

from pykafka_ops.commands.framework.group import VerbGroup
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.types import INT, Choices, Matching
from pykafka_ops.commands.tongue.tool import Tool

NAME = Option("-n", "--name", metavar="NAME", multiple=True, help="a name")
STATE = Option("--state", metavar="STATES", bare="all", help="states",
               type=Matching("state", "(full|empty)(,(full|empty))*"))  # fmt: skip
LIST_OF = Option("--list-of", metavar="A,B", separator=",", help="split at commas")
COUNT = Option("-c", "--count", metavar="N", type=INT, help="how many")
FAST = Switch("-f", "--fast", help="hurry")
KIND = Option("--kind", metavar="KIND", type=Choices(("a", "b")), help="which")

demo = VerbGroup("demo", "Test.", tool=Tool("kafka-demo", "Test.", options=(LIST_OF,)))


@demo.verb("show", words=(Words(NAME, "*"),), options=(STATE, FAST), flag="show")
def show(run: Run) -> None:
    """Show."""


@demo.verb("move", words=(Words(NAME), Words(KIND)), options=(COUNT, FAST), flag="move")
def move(run: Run) -> None:
    """Move."""


runner = VerbGroup("runner", "Test.")


@runner.verb(
    "run",
    words=(Words(Option("--file", metavar="FILE")), Words(Option("--args", multiple=True), "*")),
    options=(FAST,),
    verbatim=True,
)
def run_program(run: Run) -> None:
    """Run."""
