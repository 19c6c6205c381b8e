"""SASL GSSAPI: a login by Kerberos (RFC 4752), over contexts that a library makes.

Counterpart of ``SaslServerCallbackHandler`` and ``KerberosShortNamer`` behind the JDK's
``GssKrb5Server``. Who the client asks to be does not matter, as there: it is its principal.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

from pykafka_ops.broker.state.logins.dialogue import Accepted, Dialogue, NewDialogue
from pykafka_ops.errors import LoginError
from pykafka_ops.security.kerberos_names import NoUserError
from pykafka_ops.security.sasl_gssapi import LayerError, SecurityContext, accept


class ClientContext(SecurityContext, Protocol):
    """A context with one client; its methods raise LoginError."""

    @property
    def peer(self) -> str:
        """The client's principal, once it has proved who it is."""


NewContext = Callable[[], ClientContext]


def new_login(new_context: NewContext, user_of: Callable[[str], str]) -> NewDialogue:
    """The broker's side; ``user_of`` makes a user's name of a principal, or raises NoUserError."""
    return partial(_login, new_context, user_of)


def _login(new_context: NewContext, user_of: Callable[[str], str]) -> Dialogue:
    context = new_context()
    talk = accept(context)
    answer = next(talk)
    try:
        while True:
            heard = yield answer
            answer = talk.send(heard.token)
    except StopIteration:
        pass
    except LayerError as error:
        raise LoginError(str(error)) from None
    principal = context.peer
    try:
        return Accepted(user_of(principal), None)
    except NoUserError as error:
        raise LoginError(f"no user's name for {principal}: {error}") from None
