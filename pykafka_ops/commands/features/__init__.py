"""``pko features`` and kafka-features."""

from __future__ import annotations

import sys

from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.framework.failures import execution_text
from pykafka_ops.commands.framework.group import VerbGroup
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.run import Result, Run, Work
from pykafka_ops.commands.framework.types import BROKER_ID
from pykafka_ops.commands.framework.verb import Verb
from pykafka_ops.commands.kafka_syntax import argparse4j
from pykafka_ops.commands.kafka_syntax.tool import Tool
from pykafka_ops.commands.options import BOOTSTRAP_CONTROLLER
from pykafka_ops.errors import PkoError

_FEATURE = Option("--feature", metavar="NAME[=LEVEL]", multiple=True,
                  help="a feature and its level, e.g. kraft.version=1; to disable one its name "
                  "alone")  # fmt: skip
_RELEASE = Option("--release-version", metavar="RELEASE",
                  help="what a new cluster of this release has, e.g. 4.2")  # fmt: skip
_METADATA = Option("--metadata", metavar="RELEASE",
                   help="only metadata.version of this release (old)")  # fmt: skip
_UNSAFE = Switch("--unsafe", help="even where metadata is lost with it")
_DRY_RUN = Switch("--dry-run", help="ask whether it can be done, change nothing")
_NODE_ID = Option("--node-id", metavar="ID", type=BROKER_ID, help="which node to ask")
_WITHOUT_CLUSTER = ("version-mapping", "feature-dependencies")


def _check(args: Args) -> None:
    """As ``CommandLineUtils.initializeBootstrapProperties``."""
    known = args.has("bootstrap-server") or args.has("bootstrap-controller")
    if args.verb not in _WITHOUT_CLUSTER and not known:
        raise OptionError("You must specify either --bootstrap-controller or --bootstrap-server.")


def _failure(error: PkoError, run: Run) -> int:
    """As ``FeatureCommand.mainNoExit``: complaints about the command line do not end their line."""
    if isinstance(error, OptionError):
        sys.stderr.write(f"Command line error: {error}. Type --help for help.")
    else:
        sys.stderr.write(f"{execution_text(error)}\n")
    return 1


TOOL = Tool(
    "kafka-features",
    "This tool manages feature flags in Kafka.",
    options=(BOOTSTRAP_CONTROLLER,),
    check=_check,
    failure=_failure,
    read=argparse4j.read_tersely,
    has_verbs=True,
)


def _work(run: Run) -> Result:
    work: Work
    match run.args.verb:
        case "list":
            from pykafka_ops.commands.features.listing import list_features as work
        case "describe":
            from pykafka_ops.commands.features.describe import describe as work
        case "version-mapping":
            from pykafka_ops.commands.features.mapping import version_mapping as work
        case "feature-dependencies":
            from pykafka_ops.commands.features.dependencies import dependencies as work
        case _:
            from pykafka_ops.commands.features.change import change as work
    return work(run)


features = VerbGroup(
    "features", "Features of a cluster in KRaft: levels that are supported, and switched on.",
    _work, tool=TOOL,
)  # fmt: skip
TOOL.add(Verb("describe", _work, tool_name="describe", options=(_NODE_ID,)))
features.verb(
    "list",
    "Show each feature: its level, what the brokers support, what it could be upgraded to.",
    options=(BOOTSTRAP_CONTROLLER,),
    examples=("pko features list", "pko features list --bootstrap-controller localhost:9093"),
)
features.verb(
    "upgrade",
    "Set features to higher levels.",
    words=(Words(_FEATURE, "*"),),
    options=(_METADATA, _RELEASE, _FEATURE, _DRY_RUN, BOOTSTRAP_CONTROLLER),
    tool_name="upgrade",
    examples=(
        "pko features upgrade --release-version 4.2 --dry-run",
        "pko features upgrade kraft.version=1 --yes",
    ),
)
features.verb(
    "downgrade",
    "Set features to lower levels; 0 switches one off.",
    words=(Words(_FEATURE, "*"),),
    options=(_METADATA, _RELEASE, _FEATURE, _UNSAFE, _DRY_RUN, BOOTSTRAP_CONTROLLER),
    tool_name="downgrade",
    examples=("pko features downgrade share.version=0 --dry-run",),
)
features.verb(
    "disable",
    "Switch features off.",
    words=(Words(_FEATURE, "*"),),
    options=(_FEATURE, _UNSAFE, _DRY_RUN, BOOTSTRAP_CONTROLLER),
    tool_name="disable",
    examples=("pko features disable share.version --yes",),
)
features.verb(
    "version-mapping",
    "Show the levels that a new cluster of a release has.",
    options=(_RELEASE,),
    tool_name="version-mapping",
    examples=("pko features version-mapping --release-version 4.0",),
)
features.verb(
    "feature-dependencies",
    "Show what levels of features need.",
    words=(Words(_FEATURE, "+"),),
    tool_name="feature-dependencies",
    examples=("pko features feature-dependencies eligible.leader.replicas.version=1",),
)
