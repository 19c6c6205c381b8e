"""``pko api-versions`` and kafka-broker-api-versions."""

from __future__ import annotations

from pykafka_ops.commands.framework.group import Single
from pykafka_ops.commands.framework.params import Switch
from pykafka_ops.commands.framework.run import Result, Run
from pykafka_ops.commands.kafka_syntax.tool import Tool

DIFF = Switch("--diff", ours=True, help="only requests on which the brokers differ")

TOOL = Tool(
    "kafka-broker-api-versions",
    "This tool helps to retrieve broker version information.",
    required=("bootstrap-server",),
)


def _work(run: Run) -> Result:
    from pykafka_ops.commands.api_versions.versions import api_versions

    return api_versions(run)


api_versions = Single(
    "api-versions",
    _work,
    help="Show which requests each broker understands, in which versions.",
    tool=TOOL,
    bare=True,
    options=(DIFF,),
    examples=("pko api-versions -b localhost:9092", "pko api-versions --diff"),
)
