"""What Kafka 4's tools for one type of group have in common: failures, lists, groups meant."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar

from pykafka_ops.analysis.java_hash import in_hash_order, java_hash, partition_hash
from pykafka_ops.client.groups import GroupListing, list_groups
from pykafka_ops.client.leaders import Partition
from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.framework.failures import (
    execution_text,
    is_usage,
    java_text,
    raise_first,
    text_of,
)
from pykafka_ops.commands.framework.output import Table
from pykafka_ops.commands.framework.params import Option
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.types import LONG_COUNT
from pykafka_ops.commands.groups import select
from pykafka_ops.commands.groups.kafka import ScopeError
from pykafka_ops.commands.kafka_syntax import jopt
from pykafka_ops.errors import PkoError, UsageError

RELEASE = "4.3.1"
"""The version whose texts these tools speak."""
TIMEOUT = Option("--timeout", metavar="MS", type=LONG_COUNT, default="30000",
                 help="how long a call to the brokers may take (ms)")  # fmt: skip
EXECUTION = "java.util.concurrent.ExecutionException: "
V = TypeVar("V")


class ToldError(PkoError):
    """A failure whose text is what Kafka's tool makes of it."""


class ExitError(PkoError):
    """The tool ends at once, its text on stderr (CommandLineUtils.printErrorAndExit)."""


@contextmanager
def told(*, caught: bool = False, bare: bool = False) -> Iterator[None]:
    """Errors of calls in the words that the tool has for them: those of an ExecutionException,
    of one within a RuntimeException (``caught``), or of its cause alone (``bare``)."""
    try:
        yield
    except (ToldError, ExitError, UsageError):
        raise
    except PkoError as error:
        text = text_of(error) if bare else execution_text(error)
        raise ToldError(f"{EXECUTION if caught else ''}{text}") from error


def failure_of(kind: str, code: int, *, outside: bool) -> Callable[[PkoError, Run], int]:
    """How the tool for groups of this kind reports an error; ``code``: what it ends with if its
    work fails, ``outside``: whether it reads its options where nothing is caught."""

    def failure(error: PkoError, run: Run) -> int:
        if isinstance(error, (ExitError, ScopeError)):
            sys.stderr.write(f"{error}\n")
            return 1
        of_options = isinstance(error, OptionError)
        if is_usage(error, run) or (of_options and not outside):
            text = text_of(error)
            early = of_options and outside
            sys.stderr.write(f"{jopt.uncaught(text) if early else text}\n")
            return 1
        text = str(error) if isinstance(error, ToldError) else execution_text(error)
        sys.stdout.write(f"\nError: Executing {kind} group command failed due to {text}\n")
        return code

    return failure


def unavailable(args: Args, *options: str) -> None:
    """jopt's complaint about options that go with actions which are not there."""
    found = [name for name in options if args.has(name)]
    if found:
        raise OptionError(
            f"Option(s) [{', '.join(found)}] are unavailable given other options on the command "
            "line"
        )


def check_described(args: Args) -> None:
    """What ``--describe`` takes, and what nothing else does."""
    views = ("members", "offsets", "state")
    if not args.has("describe"):
        unavailable(args, *(views[:2] if args.has("list") else views), "verbose")
    args.require("bootstrap-server")
    if not args.has("describe"):
        return
    head = "Option [describe]"
    if not args.has("group") and not args.has("all-groups"):
        raise OptionError(f"{head} takes one of these options: {EITHER_GROUPS}")
    if sum(args.has(view) for view in views) > 1:
        raise OptionError(f"{head} takes at most one of these options: {bracketed(views)}")
    if args.has("state") and args.text("state"):
        raise OptionError(f"{head} does not take a value for [state]")


def bracketed(names: Iterable[str]) -> str:
    """Options as the tools list them, sorted."""
    return ", ".join(f"[{name}]" for name in sorted(names))


EITHER_GROUPS = bracketed(("group", "all-groups"))


def listed(run: Run, type_: str, states: Sequence[str] = ()) -> list[GroupListing]:
    """Groups of a type as Kafka's admin client lists them."""
    with told():
        groups, failed = list_groups(select.cluster(run), types=[type_], states=states)
        raise_first(failed.values())
    return [groups[name] for name in in_hash_order(groups, java_hash)]


def list_of(run: Run, type_: str, known: Sequence[str]) -> Table:
    """``--list``: names, with ``--state`` a table."""
    if not run.args.has("state"):
        with told(caught=True):
            names = [g.id for g in _caught(run, type_)]
        return Table("groups", (), [], kafka=(f"{name}\n" for name in names))
    return Table("groups", (), [], kafka=_states(listed(run, type_, _states_asked(run, known))))


def _caught(run: Run, type_: str) -> list[GroupListing]:
    """As ``listed``; its errors come within a RuntimeException."""
    try:
        return listed(run, type_)
    except ToldError as error:
        raise ToldError(f"{EXECUTION}{error}") from error


def _states(groups: Sequence[GroupListing]) -> Iterator[str]:
    width = max([15, *(len(g.id) for g in groups)])
    for name, state in (("GROUP", "STATE"), *((g.id, g.state or "Unknown") for g in groups)):
        yield f"{name:<{width}} {state}\n"


def _states_asked(run: Run, known: Sequence[str]) -> list[str]:
    text = run.args.text("state")
    if not text:
        return []
    by_name = {name.lower(): name for name in known}
    found = [by_name.get(word.strip().lower(), "") for word in text.split(",")]
    if not all(found):
        raise ScopeError(f"Invalid state list '{text}'. Valid states are: {', '.join(known)}")
    return found


def meant(run: Run, type_: str) -> list[str]:
    """The groups of ``--group``, or with ``--all-groups`` all of the type."""
    if run.args.has("all-groups"):
        return [g.id for g in _caught(run, type_)]
    return list(dict.fromkeys(run.args.texts("group")))


def one_group(run: Run) -> str:
    """The group of an action that takes one; jopt's complaint about several."""
    return run.args.text("group") or ""


def by_hash(values: Mapping[Partition, V]) -> list[tuple[Partition, V]]:
    """What there is by partition, in the order of Kafka's maps."""
    return [(place, values[place]) for place in in_hash_order(values, partition_hash)]


def refusals(
    names: Iterable[str], groups: Sequence[GroupListing], kind: str, missing: str
) -> dict[str, str]:
    """Why groups cannot be deleted, as Java shows the exceptions: ``missing`` says it of one that
    is no group of the kind."""
    known = {g.id: g for g in groups}
    errors = "org.apache.kafka.common.errors."
    found = {}
    for name in dict.fromkeys(names):
        group = known.get(name)
        title = f"{kind.capitalize()} group '{name}'"
        if group is None:
            text = f"java.lang.IllegalArgumentException: Group '{name}' {missing}"
        elif group.state == "Dead":
            text = f"java.lang.IllegalStateException: {title} group state is DEAD."
        elif group.state not in ("", "Empty"):
            text = f"{errors}GroupNotEmptyException: {title} is not EMPTY."
        else:
            continue
        found[name] = text
    return found


def deletions(results: Mapping[str, PkoError | None], failed: dict[str, str]) -> list[str]:
    """Add the failures among the results of a deletion to ``failed``; the groups deleted."""
    failed.update({name: java_text(error) for name, error in results.items() if error is not None})
    return in_hash_order((n for n, error in results.items() if error is None), java_hash)
