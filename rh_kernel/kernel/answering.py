"""Every request gets a reply: also one that cannot be read, one that makes no sense, and one that its handler fails at.

ipykernel logs such a request and goes on, and the front end waits for the reply for ever.
"""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, cast

from jupyter_client.session import Session, json_unpacker

from rh_kernel.display.fault import fault
from rh_kernel.kernel.errors import Content, faulty, malformed
from rh_kernel.kernel.requests import Malformed, Unreadable, well_formed

Handler = Callable[..., Any]
"""``handler(stream, ident, message)``, as ipykernel keeps them by message type; it may be a coroutine function."""


class ReadableSession(Session):
    """Reads every signed message whose header can be read. Parts that are no JSON objects are ``Unreadable``, which are empty.

    A header that is none raises, as before: nothing says who is to be answered.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.unpack = _unpacked


def _unpacked(text: str | bytes) -> dict[str, Any]:
    """The JSON object that a part of a message stands for, as far as it is one that is not nested too deeply to be read."""
    try:
        value = json_unpacker(text)
    except (ValueError, RecursionError):
        return Unreadable()
    return cast(dict[str, Any], value) if isinstance(value, dict) else Unreadable()


def reply_type(request: str) -> str:
    """``execute_request ↦ execute_reply``"""
    return f"{request.removesuffix('request')}reply"


def answering(kernel: Any, handler: Handler, version: str) -> Callable[[Any, Any, Any], Awaitable[None]]:
    """The handler, which replies with ``status: error`` where the request is malformed or the handler raises."""

    async def answer(stream: Any, ident: Any, message: Any) -> None:
        try:
            message["content"] = well_formed(message["header"]["msg_type"], message["content"])
            result = handler(stream, ident, message)
            if inspect.isawaitable(result):
                await result
        except Malformed as wrong:
            refuse(kernel, stream, ident, message, malformed(wrong))
        except Exception as exception:
            content = {"status": "error", **faulty(fault(exception, version))}
            refuse(kernel, stream, ident, message, content)

    return answer


def refuse(kernel: Any, stream: Any, ident: Any, message: Any, content: Content) -> None:
    """Send the reply to a request that is not served."""
    kernel.session.send(stream, reply_type(message["header"]["msg_type"]), content, message, ident=ident)
