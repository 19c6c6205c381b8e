"""A message as an e-mail: plain text, in one thread from open to close (RFC 5322, RFC 3834)."""

from __future__ import annotations

from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from pykafka_ops.monitor.alerts.rules.incidents import OPEN, Notice
from pykafka_ops.monitor.alerts.shapes.words import (
    clean,
    lines,
    link,
    summaries,
    time_text,
    title,
)

MOST_LINES = 100


def mail(notice: Notice, url: str, sender: str, to: tuple[str, ...]) -> EmailMessage:
    """The message; its Message-ID is the same however often it is sent."""
    message = EmailMessage(policy=SMTP)
    message["Subject"] = clean(title(notice), 500)
    message["From"] = sender
    message["To"] = ", ".join(to)
    message["Date"] = format_datetime(datetime.fromtimestamp(notice.at / 1000, UTC))
    message["Message-ID"] = f"<{notice.id}@pko-monitor>"
    if notice.phase != OPEN:
        first = f"<{notice.incident}-{OPEN}@pko-monitor>"
        message["In-Reply-To"] = message["References"] = first
    message["Auto-Submitted"] = "auto-generated"
    page = link(url, notice)
    said = [
        title(notice), "", *summaries(notice), "", *(f"* {s}" for s in lines(notice, MOST_LINES)),
        "", f"cluster {clean(notice.cluster)}, since {time_text(notice.since)}",
        *([page] if page else []),
    ]  # fmt: skip
    message.set_content("\n".join(said) + "\n")
    return message
