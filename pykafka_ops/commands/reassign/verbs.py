"""The verbs of ``pko reassign-partitions`` that Kafka's tool has not: options and help."""

from __future__ import annotations

from pykafka_ops.commands.framework.options import Opt, Pos, Verb

FILE = Pos("reassignment-json-file", metavar="FILE")
OPTIONS = (
    Opt("topics", "only these topics", "TOPIC,TOPIC", many=True, complete="topics", ours=True),
    Opt("regex", "the topics are regular expressions", ours=True),
    Opt("drain", "brokers that shall hold nothing; all else is left alone unless --balance says "
        "otherwise", "ID,ID", many=True, complete="brokers", ours=True),
    Opt("add", "new brokers: only they get replicas", "ID,ID", many=True, complete="brokers",
        ours=True),
    Opt("replication-factor", "replicas that each partition shall have", "N", kind="int",
        ours=True),
    Opt("balance", "what shall be even: bytes, replicas, leaders, racks, or none (all of them; "
        "with --drain or --replication-factor none)", "WHAT,WHAT", ours=True),
    Opt("tolerance", "how far brokers may be from their fair share, in percent", "PERCENT",
        default="10", ours=True),
    Opt("max-moves", "most replicas to move for balance", "N", kind="int", ours=True),
    Opt("max-bytes", "most bytes to move for balance: 500MB, 1.5GiB", "SIZE", ours=True),
    Opt("max-disk", "how full a broker's disks may get while replicas are in both places, in "
        "percent", "PERCENT", default="90", ours=True),
    Opt("file", "write the plan to this file, for run and for Kafka's tool", "FILE",
        complete="file", ours=True),
    Opt("per-broker", "partitions that a broker copies at the same time", "N", kind="int",
        default="5", ours=True),
    Opt("keep-moving", "when stopped, let the moves under way go on, without a throttle",
        ours=True),
    Opt("no-election", "do not let preferred leaders lead at the end", ours=True),
    Opt("fail-on", "exit code 4 if a row meets this, e.g. 'skew_percent>20'", "CONDITION",
        ours=True),
)  # fmt: skip
_RUN = ("throttle", "per-broker", "additional", "keep-moving", "no-election")
VERBS = (
    Verb("plan", "which replicas to move for balance, copying as few bytes as can be",
         "reassign.verbs_plan:plan", words=(Pos("topics", "*", "TOPIC"),),
         options=("regex", "drain", "add", "replication-factor", "balance", "tolerance",
                  "max-moves", "max-bytes", "max-disk", "disable-rack-aware", "file", "throttle",
                  "per-broker", "fail-on"),
         examples=("pko reassign-partitions plan",
                   "pko reassign-partitions plan --drain 3 --file moves.json",
                   "pko reassign-partitions plan orders --replication-factor 3 --file moves.json",
                   "pko reassign-partitions plan --add 4,5 --max-bytes 100GiB --throttle 50MB")),
    Verb("run", "make the moves of a file, a few at a time, throttled; goes on where it stopped",
         "reassign.verbs_run:run", words=(FILE,), options=_RUN,
         examples=("pko reassign-partitions run moves.json",
                   "pko reassign-partitions run moves.json --throttle 50MB --per-broker 2",
                   "pko reassign-partitions run moves.json --throttle auto:200MB")),
    Verb("status", "moves under way and how far they are, throttles that are set",
         "reassign.verbs_status:status", words=(Pos("reassignment-json-file", "?", "FILE"),),
         options=("fail-on",),
         examples=("pko reassign-partitions status",
                   "pko reassign-partitions status moves.json --fail-on 'state!=done'")),
    Verb("rollback", "put replicas back to where they were before a plan",
         "reassign.verbs_run:rollback", words=(FILE,), options=_RUN,
         examples=("pko reassign-partitions rollback moves.json",)),
)  # fmt: skip
