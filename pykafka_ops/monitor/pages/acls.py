"""Access rules: who may do what."""

from __future__ import annotations

from typing import Final

from pykafka_ops.monitor.cluster.enquiries import EnquiryReply
from pykafka_ops.monitor.cluster.questions import AccessRule
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.pages.frame import (
    Found,
    PageColumn,
    PageRequest,
    block,
    document,
    pager,
    search_form,
    table,
)
from pykafka_ops.monitor.wording.text import safe
from pykafka_ops.page.markup import el

OPEN: Final = (
    "No authorizer is configured (SECURITY_DISABLED): whoever gets a connection may do everything."
)
_COLUMNS: Final = (
    PageColumn("principal", "Principal"),
    PageColumn("permission", "Permission", tone=lambda v: "warn" if v == "DENY" else "good",
               status=True),
    PageColumn("operation", "Operation"),
    PageColumn("resource_type", "Resource"),
    PageColumn("resource", "Name"),
    PageColumn("pattern", "Pattern"),
    PageColumn("host", "From host"),
)  # fmt: skip


def acls(
    asked: PageRequest,
    view: ClusterView,
    reply: EnquiryReply[list[AccessRule] | None],
    found: Found,
) -> str:
    """The page of access rules; the value of ``reply`` is None also where there is no authorizer,
    then it does not say why."""
    title = "ACLs"
    if reply.value is None:
        said = f"not known: {safe(reply.why)}" if reply.why else OPEN
        return document(asked, view, title, block(title, "", el("p", said, class_="nothing")))
    total, following, rows = found
    empty = "no rule like that" if reply.value else "there is no rule: only super users get in"
    return document(
        asked, view, title,
        block(f"{title}: {total:,}", "",
              search_form(asked.query, "rules"),
              table(_COLUMNS, rows, empty, asked.query, title),
              pager(asked.query, total, len(rows), following)),
    )  # fmt: skip
