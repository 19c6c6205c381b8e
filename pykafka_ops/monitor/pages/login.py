"""The page to log in on."""

from __future__ import annotations

from urllib.parse import urlencode

from pykafka_ops.monitor.access.settings import HEADER, OIDC
from pykafka_ops.monitor.pages.frame import PageRequest, document
from pykafka_ops.page.markup import Markup, el

HEADER_SAID = (
    "This monitor believes the name that its proxy gives. No such name came with this request: "
    "ask through the proxy, or see proxies in [login] of the configuration."
)


def login_page(mode: str, following: str, wrong: str = "") -> str:
    """How to log in, and what was wrong with the last try; ``following``: where it leads."""
    if mode == HEADER:
        body = el("p", HEADER_SAID, class_="nothing")
    elif mode == OIDC:
        href = "/login/begin?" + urlencode({"next": following})
        body = el("p", el("a", "Log in with the provider", href=href, class_="button"))
    else:
        body = _form(following)
    said = el("p", wrong, class_="stale bad", role="alert") if wrong else None
    section = el("section", said, body, class_="login")
    return document(PageRequest("", (), {}, 0, 0), None, "Log in", section, live=False)


def arrived_page(following: str) -> str:
    """Leads on from a login, as a step within this site."""
    head = el(
        "head",
        el("title", "pko monitor"),
        el("meta", http_equiv="refresh", content=f"0; url={following}"),
    )
    body = el("body", el("p", el("a", "Go on", href=following)))
    return "<!DOCTYPE html>\n" + el("html", head, body, lang="en")


def _form(following: str) -> Markup:
    return el(
        "form",
        el("input", type="hidden", name="next", value=following),
        el("label", "Name ", el("input", name="name", required=True, autofocus=True,
                                autocomplete="username", autocapitalize="none")),
        el("label", "Password ", el("input", type="password", name="password", required=True,
                                    autocomplete="current-password")),
        el("button", "Log in"),
        method="post", action="/login", class_="fields",
    )  # fmt: skip
