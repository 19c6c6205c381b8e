"""From what a page shows to what may be done about it."""

from __future__ import annotations

from urllib.parse import urlencode

from pykafka_ops.monitor.actions.every import EVERY
from pykafka_ops.monitor.pages.frame import PageRequest, address
from pykafka_ops.page.markup import Markup, el, join


def change_links(asked: PageRequest, subject: str, name: str) -> Markup | None:
    """Links to the actions that change a topic, group or broker, for those who have the right."""
    query = urlencode({subject: name}, errors="replace")
    links = [
        el("a", a.title, href=f"{address(asked.cluster, 'actions', a.right)}?{query}")
        for a in EVERY.values()
        if a.subject == subject and a.right in asked.rights
    ]
    if not links:
        return None
    parts = [part for link in links for part in (" · ", link)][1:]
    return el("p", "Change it: ", join(*parts), class_="more")
