"""A whole view as bytes, for programs of this release that show it elsewhere (MessagePack)."""

from __future__ import annotations

from array import array
from typing import Any

import msgspec

from pykafka_ops import __version__
from pykafka_ops.errors import KafkaError, WireError
from pykafka_ops.monitor.cluster.view import ClusterView


class _Sent(msgspec.Struct):
    """A view on its way; its form is that of the release."""

    release: str
    view: msgspec.Raw


def pack_view(view: ClusterView) -> bytes:
    """The bytes of a view."""
    body = msgspec.Raw(msgspec.msgpack.encode(view, enc_hook=_plain))
    return msgspec.msgpack.encode(_Sent(__version__, body))


def unpack_view(data: bytes) -> ClusterView:
    """The view. Raises WireError where the bytes are something else, or of another release."""
    try:
        sent = msgspec.msgpack.decode(data, type=_Sent)
        if sent.release != __version__:
            raise WireError(f"it is of release {sent.release}, this is {__version__}")
        return msgspec.msgpack.decode(sent.view, type=ClusterView, dec_hook=_real)
    except (msgspec.MsgspecError, ValueError, TypeError) as error:
        raise WireError(f"this is no view of a cluster: {error}") from None


def _plain(value: object) -> Any:
    """What MessagePack has no form for."""
    if isinstance(value, array):
        return value.tolist()
    if isinstance(value, KafkaError):
        return value.code, value.message
    raise NotImplementedError(type(value).__name__)


def _real(wanted: type, value: Any) -> Any:
    if wanted is KafkaError:
        code, text = value
        return KafkaError(int(code), str(text))
    return value  # object: whatever it is
