"""kafka-leader-election: what it checks."""

from __future__ import annotations

from pykafka_ops.commands.framework.args import Args, OptionError

TYPES = ("PREFERRED", "UNCLEAN")
_SCOPES = ("topic", "all-topic-partitions", "file")


def check(args: Args) -> None:
    """LeaderElectionCommandOptions.validate; with ``--zookeeper`` the checks of the tool of old."""
    if args.has("admin.config"):
        args.values.setdefault("command-config", args.values["admin.config"])
    if args.has("zookeeper"):
        _check_old(args)
        return
    missing = [n for n in ("bootstrap-server", "election-type") if not args.has(n)]
    if missing:
        raise OptionError(f"Missing required option(s): {', '.join(missing)}")
    if sum(args.has(name) for name in _SCOPES) != 1:
        names = ", ".join(args.options[name].kafka for name in _SCOPES)
        raise OptionError(f"One and only one of the following options is required: {names}")
    if args.has("topic") and not args.has("partition"):
        raise OptionError("Missing required option(s): partition")
    if args.has("partition") and not args.has("topic"):
        raise OptionError("Option partition is only allowed if topic is used")
    kind = args.text("election-type") or ""
    if kind.upper() not in TYPES:
        raise OptionError(f"Cannot parse argument '{kind}' of option election-type")
    args.number("partition")


def _check_old(args: Args) -> None:
    """PreferredReplicaLeaderElectionCommand's, before 3.0."""
    if args.has("bootstrap-server") and "bootstrap-server" not in args.filled:
        raise OptionError("Exactly one of '[bootstrap-server]' or '[zookeeper]' must be provided")
    if (args.text("election-type") or TYPES[0]).upper() != TYPES[0]:
        raise OptionError(
            "--zookeeper knows preferred elections only: use --bootstrap-server for unclean ones"
        )
    if args.has("topic") and not args.has("partition"):
        raise OptionError("Missing required option(s): partition")
