"""Sends a message to its receiver, whatever that is."""

from __future__ import annotations

import json
import os
import signal
import smtplib
import subprocess

from pykafka_ops.monitor.alerts.delivery.failure import DeliveryError, read_secret, without
from pykafka_ops.monitor.alerts.delivery.http import send_http, tls_context
from pykafka_ops.monitor.alerts.rules.incidents import Notice
from pykafka_ops.monitor.alerts.settings.receivers import COMMAND, EMAIL, Receiver
from pykafka_ops.monitor.alerts.shapes.generic import generic
from pykafka_ops.monitor.alerts.shapes.mail import mail


def send(receiver: Receiver, notice: Notice, page: str) -> None:
    """Deliver it; DeliveryError. ``page``: the address of the monitor's page ("" none)."""
    if receiver.kind == EMAIL:
        _mail(receiver, notice, page)
    elif receiver.kind == COMMAND:
        _command(receiver, notice, page)
    else:
        send_http(receiver, notice, page)


def _mail(receiver: Receiver, notice: Notice, page: str) -> None:
    password = read_secret(receiver.password) if receiver.password else ""
    message = mail(notice, page, receiver.sender, receiver.to)
    timeout = receiver.timeout_ms / 1000
    try:
        if receiver.tls == "tls":
            server: smtplib.SMTP = smtplib.SMTP_SSL(
                receiver.host, receiver.port, timeout=timeout, context=tls_context(receiver)
            )
        else:
            server = smtplib.SMTP(receiver.host, receiver.port, timeout=timeout)
        with server:
            if receiver.tls == "starttls":
                server.starttls(context=tls_context(receiver))
            if password:
                server.login(receiver.username, password)
            server.send_message(message)
    except smtplib.SMTPRecipientsRefused as error:
        codes = [code for code, _ in error.recipients.values()]
        said = "; ".join(f"{name}: {code}" for name, (code, _) in error.recipients.items())
        raise DeliveryError(f"no recipient accepted: {said}", lasting=min(codes) >= 500) from None
    except smtplib.SMTPResponseException as error:
        text = error.smtp_error
        said = text.decode(errors="replace") if isinstance(text, bytes) else str(text)
        reason = without(f"{receiver.host}: {error.smtp_code} {said}", [password])
        raise DeliveryError(reason, lasting=error.smtp_code >= 500) from None
    except (OSError, smtplib.SMTPException, ValueError) as error:
        said = without(f"{receiver.host}:{receiver.port}: {error or 'no answer'}", [password])
        raise DeliveryError(said) from None


def _command(receiver: Receiver, notice: Notice, page: str) -> None:
    """Run it without a shell, the message as JSON on stdin; exit code 0 is sent."""
    body = json.dumps(generic(notice, page)).encode()
    try:
        process = subprocess.Popen(
            receiver.command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        raise DeliveryError(f"{receiver.command[0]}: {error.strerror}") from None
    try:
        process.communicate(body, timeout=receiver.timeout_ms / 1000)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        seconds = receiver.timeout_ms / 1000
        raise DeliveryError(f"{receiver.command[0]}: not done within {seconds:g} s") from None
    if process.returncode:
        raise DeliveryError(f"{receiver.command[0]}: exit code {process.returncode}")
