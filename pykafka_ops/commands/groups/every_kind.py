"""kafka-groups of Kafka 4: groups of every type in one list."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence

from pykafka_ops.analysis.java_hash import in_hash_order, java_hash
from pykafka_ops.client.groups import GroupListing, list_groups
from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.framework.failures import is_usage, raise_first, text_of
from pykafka_ops.commands.framework.output import Table
from pykafka_ops.commands.framework.params import Option, Switch
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.verb import Verb
from pykafka_ops.commands.groups.kafka4 import RELEASE
from pykafka_ops.commands.kafka_syntax.tool import Tool
from pykafka_ops.errors import PkoError

TYPES = ("classic", "consumer", "share", "streams")
GROUP_TYPE = Option("--group-type", metavar="TYPE",
                    help=f"only groups of this type: {', '.join(TYPES)}")  # fmt: skip
PROTOCOL = Option("--protocol", metavar="PROTOCOL", help="only groups of this protocol")
CONSUMER = Switch("--consumer", help="only consumer groups: of type consumer, and classic ones of "
                                     "the protocol consumer or of none")  # fmt: skip
SHARE = Switch("--share", help="only share groups")
STREAMS = Switch("--streams", help="only streams groups")


def _check(args: Args) -> None:
    """GroupsCommandOptions.checkArgs."""
    if not args.has("list"):
        raise OptionError("Command must include exactly one action: --list.")
    if args.has("group-type") and (args.text("group-type") or "").lower() not in TYPES:
        raise OptionError("--group-type must be a valid group type.")
    args.forbid("consumer", "group-type", "protocol", "share", "streams")
    args.forbid("share", "consumer", "group-type", "protocol", "streams")
    args.forbid("streams", "consumer", "group-type", "protocol", "share")


def _failure(error: PkoError, run: Run) -> int:
    text = text_of(error)
    if is_usage(error, run):
        if text == 'Missing required argument "[bootstrap-server]"':
            text = "Missing required option(s) [bootstrap-server]"
        sys.stderr.write(f"{text}\n")
    else:
        sys.stdout.write(f"Error while executing groups command : {text}\n")
    return 1


def list_all(run: Run) -> Table:
    """``--list``: a row for each group that the options leave."""
    groups, failed = list_groups(run.cluster())
    raise_first(failed.values())
    chosen = _chosen(run.args)
    found = [groups[name] for name in in_hash_order(groups, java_hash) if chosen(groups[name])]
    return Table("groups", (), [], kafka=_kafka(found))


def _chosen(args: Args) -> Callable[[GroupListing], bool]:
    """GroupsService.combinedFilter."""
    type_, protocol = (args.text("group-type") or "").lower(), args.text("protocol")
    if type_:
        return lambda g: g.type.lower() == type_ and protocol in (None, g.protocol_type)
    if protocol is not None:
        return lambda g: g.protocol_type == protocol
    if args.has("consumer"):
        return lambda g: g.protocol_type in ("", "consumer") or g.type.lower() == "consumer"
    for kind in ("share", "streams"):
        if args.has(kind):
            return lambda g: g.type.lower() == kind
    return lambda g: True


def _kafka(groups: Sequence[GroupListing]) -> Iterator[str]:
    lines = [(g.id, g.type.capitalize(), g.protocol_type) for g in groups]
    width = max([20, *(len(cell) for line in lines for cell in line)])
    yield " ".join(f"{title:<{width}}" for title in ("GROUP", "TYPE", "PROTOCOL")) + "\n"
    for line in lines:
        yield "".join(f"{cell:<{width}} " for cell in line) + "\n"


TOOL = Tool(
    "kafka-groups",
    "This tool helps to list groups of all types.",
    required=("bootstrap-server",),
    check=_check,
    failure=_failure,
)
TOOL.release = RELEASE
TOOL.add(Verb("list", list_all, flag="list", help="list the groups",
              options=(GROUP_TYPE, PROTOCOL, CONSUMER, SHARE, STREAMS)))  # fmt: skip
