"""``pko tokens list``."""

from __future__ import annotations

from pykafka_ops.client.tokens import describe_tokens
from pykafka_ops.commands.framework.output import Table
from pykafka_ops.commands.framework.principal import principal
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.tokens.rows import tokens_table


def list_tokens(run: Run) -> Table:
    """Those of the owners named, or all that the login may see."""
    owners = [principal(text) for text in run.args.given("owner")] or None
    found = describe_tokens(run.cluster(), owners)
    return tokens_table(found, secret=run.args.has("show-hmac"))
