"""Slack's and Teams' forms.

Sources: Slack's incoming webhooks and Block Kit; Microsoft's Adaptive Cards through the Workflows
webhook ("post to a channel when a webhook request is received"). Names go where neither service
interprets them: plain_text and TextRun have no mentions, links or formats.
"""

from __future__ import annotations

from typing import Final

from pykafka_ops.monitor.alerts.rules.incidents import Notice
from pykafka_ops.monitor.alerts.shapes.words import lines, link, summaries, title

SLACK_TEXT: Final = 3_000
"""Characters of a text in a Slack block."""
TEAMS_LINES: Final = 15
"""Lines of a card: with all else it stays below the 28 KB that Teams takes."""
TEAMS_LINE: Final = 400
_SLACK: Final = {"critical": "#b42318", "warning": "#b54708", "info": "#175cd3"}
_TEAMS: Final = {"critical": "attention", "warning": "warning", "info": "accent"}
_OVER: Final = "#067647"


def slack(notice: Notice, url: str) -> dict[str, object]:
    """The body of a Slack message."""
    said = [*summaries(notice), *(f"• {each}" for each in lines(notice))]
    blocks: list[dict[str, object]] = [
        {"type": "section", "text": {"type": "plain_text", "text": part, "emoji": False}}
        for part in _parts(said)
    ]
    page = link(url, notice)
    if page:
        linked = {"type": "mrkdwn", "text": f"<{_escaped(page)}|Open in the monitor>"}
        blocks.append({"type": "context", "elements": [linked]})
    color = _SLACK[notice.severity] if notice.firing else _OVER
    return {
        "text": _escaped(title(notice)),
        "link_names": False,
        "unfurl_links": False,
        "attachments": [{"color": color, "fallback": _escaped(title(notice)), "blocks": blocks}],
    }


def teams(notice: Notice, url: str) -> dict[str, object]:
    """The body of a Teams message: one card."""
    color = _TEAMS[notice.severity] if notice.firing else "good"
    head: dict[str, object] = {
        "type": "TextRun", "text": title(notice), "weight": "bolder", "size": "medium",
        "color": color,
    }  # fmt: skip
    said = [*summaries(notice), *lines(notice, TEAMS_LINES)]
    content: dict[str, object] = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "fallbackText": title(notice),
        "msteams": {"width": "Full"},
        "body": [_rich(head), *(_rich({"type": "TextRun", "text": s[:TEAMS_LINE]}) for s in said)],
    }
    page = link(url, notice)
    if page:
        content["actions"] = [
            {"type": "Action.OpenUrl", "title": "Open in the monitor", "url": page}
        ]
    card = {
        "contentType": "application/vnd.microsoft.card.adaptive",
        "contentUrl": None,
        "content": content,
    }
    return {"type": "message", "attachments": [card]}


def _rich(run: dict[str, object]) -> dict[str, object]:
    return {"type": "RichTextBlock", "inlines": [run]}


def _parts(said: list[str]) -> list[str]:
    """The lines joined into texts that fit into a block."""
    parts: list[str] = []
    for each in (s[: SLACK_TEXT // 2] for s in said):
        if parts and len(parts[-1]) + 1 + len(each) <= SLACK_TEXT:
            parts[-1] += f"\n{each}"
        else:
            parts.append(each)
    return parts


def _escaped(text: str) -> str:
    """Slack takes <...> for links and mentions."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
