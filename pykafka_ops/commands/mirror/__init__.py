"""``pko mirror``: copy topics, groups and settings from one cluster to another."""

from __future__ import annotations

from pykafka_ops.commands.framework.group import VerbGroup
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.run import Result, Run, Work
from pykafka_ops.commands.framework.types import (
    FILE_PATH,
    GROUP_NAME,
    LONG_COUNT,
    SPAN,
    TOPIC_NAME,
)
from pykafka_ops.commands.options import DRY_RUN, FAIL_ON, WATCH

# fmt: off
CONFIG = Option("--config", metavar="FILE", type=FILE_PATH, ours=True,
                help="mirror.toml, or a .properties file as MirrorMaker 2's")
LINK = Option("--link", metavar="A->B", multiple=True, ours=True,
              help="this link only, written 'a->b' (default: all of the file)")
LISTEN = Option("--listen", metavar="HOST:PORT", ours=True,
                help="where to serve /metrics and /status (default: the file's, or "
                     "127.0.0.1:8084); port 0 for a free one")
PARTITIONS = Switch("--partitions", ours=True, help="a row for each partition")
TOPICS = Option("--topics", metavar="REGEX", ours=True,
                help="topics of the source whose whole name matches (default: the whole link)")
PARTITION = Option("--partition", metavar="TOPIC-N", multiple=True, ours=True,
                   help="a single partition of the source, such as orders-3")
NEW_SOURCE = Switch("--new-source", ours=True,
                    help="the source is another cluster now, and is to be copied from its start")
GROUP = Option("--group", metavar="GROUP", type=GROUP_NAME, multiple=True, ours=True,
               help="this group only (default: those that the link's patterns choose)")
OFFSET = Option("--offset", metavar="N", type=LONG_COUNT, ours=True,
                help="with --partition: the offset of the source to translate")
STILL = Option("--still", metavar="SPAN", type=SPAN, default="10s", ours=True,
               help="how long no record may arrive: writers are stopped")
DRILL = Switch("--drill", ours=True, help="as --dry-run")
FORCE = Switch("--force", ours=True, help="do it though a check fails")
SOURCE_LOST = Switch("--source-lost", ours=True,
                     help="the source is gone: do not ask it, and go on with what was copied")
OFFSETS_TOPIC = Option("--offsets-topic", metavar="TOPIC", type=TOPIC_NAME, ours=True,
                       help="where Connect keeps MirrorMaker 2's positions, at the target "
                            "(default: mm2-offsets.<source>.internal)")
# fmt: on


def _work(run: Run) -> Result:
    work: Work
    match run.args.verb:
        case "run":
            from pykafka_ops.commands.mirror.run import run_mirror as work
        case "plan":
            from pykafka_ops.commands.mirror.plan import plan as work
        case "status":
            from pykafka_ops.commands.mirror.status import status as work
        case "pause":
            from pykafka_ops.commands.mirror.pause import pause as work
        case "resume":
            from pykafka_ops.commands.mirror.pause import resume as work
        case "offsets":
            from pykafka_ops.commands.mirror.offsets import offsets as work
        case "failover":
            from pykafka_ops.commands.mirror.failover import failover as work
        case "failback":
            from pykafka_ops.commands.mirror.failback import failback as work
        case "takeover":
            from pykafka_ops.commands.mirror.takeover import takeover as work
    return work(run)


mirror = VerbGroup("mirror", "Mirror clusters: topics, records, groups, settings.", _work)
mirror.verb(
    "run",
    "Mirror as a file says, until SIGTERM or Ctrl-C; more processes share the work.",
    words=(Words(CONFIG),),
    options=(LINK, LISTEN),
    examples=(
        "pko mirror run mirror.toml",
        "pko mirror run mm2.properties --listen 0.0.0.0:8084",
    ),
)
mirror.verb(
    "plan",
    "Show what is mirrored and why, and what would be changed at the target; change nothing.",
    words=(Words(CONFIG),),
    options=(LINK,),
    examples=("pko mirror plan mirror.toml", "pko mirror plan mirror.toml --link 'a->b' -o json"),
)
mirror.verb(
    "status",
    "Show how far each link is: lag in records, bytes and seconds, and when it has caught up.",
    words=(Words(CONFIG),),
    options=(LINK, PARTITIONS, WATCH, FAIL_ON),
    examples=(
        "pko mirror status mirror.toml",
        "pko mirror status mirror.toml --partitions --watch",
        "pko mirror status mirror.toml --fail-on 'lag_seconds>60|state=gap'",
    ),
)
mirror.verb(
    "pause",
    "Copy nothing more of a link, of some topics or partitions, until resume.",
    words=(Words(CONFIG),),
    options=(LINK, TOPICS, PARTITION),
    examples=(
        "pko mirror pause mirror.toml",
        "pko mirror pause mirror.toml --topics 'clicks.*'",
        "pko mirror pause mirror.toml --partition orders-3",
    ),
)
mirror.verb(
    "resume",
    "Take a pause back; without --topics or --partition all pauses of the link.",
    words=(Words(CONFIG),),
    options=(LINK, TOPICS, PARTITION, NEW_SOURCE),
    examples=("pko mirror resume mirror.toml", "pko mirror resume mirror.toml --topics 'clicks.*'"),
)
mirror.verb(
    "offsets",
    "Show where groups go on at the target, or translate an offset; change nothing.",
    words=(Words(CONFIG),),
    options=(LINK, GROUP, PARTITION, OFFSET),
    examples=(
        "pko mirror offsets mirror.toml",
        "pko mirror offsets mirror.toml --group billing",
        "pko mirror offsets mirror.toml --partition orders-3 --offset 120000",
    ),
)
mirror.verb(
    "failover",
    "Move the work to the target: checks and a plan first; exit code 4 if it is not ready.",
    words=(Words(CONFIG),),
    options=(LINK, DRY_RUN, DRILL, STILL, FORCE, SOURCE_LOST),
    examples=(
        "pko mirror failover mirror.toml --drill",
        "pko mirror failover mirror.toml --link 'a->b' --yes",
        "pko mirror failover mirror.toml --source-lost",
    ),
)
mirror.verb(
    "failback",
    "Make the link back ready after a failover: it begins where the other one has ended.",
    words=(Words(CONFIG),),
    options=(LINK, DRY_RUN, DRILL, FORCE),
    examples=(
        "pko mirror failback mirror.toml --link 'b->a' --dry-run",
        "pko mirror failback mirror.toml --link 'b->a' --yes",
    ),
)
mirror.verb(
    "takeover",
    "Go on where a stopped MirrorMaker 2 was: nothing is copied twice.",
    words=(Words(CONFIG),),
    options=(LINK, DRY_RUN, STILL, FORCE, OFFSETS_TOPIC),
    examples=(
        "pko mirror takeover mm2.properties --link 'a->b' --dry-run",
        "pko mirror takeover mirror.toml --yes",
    ),
)
