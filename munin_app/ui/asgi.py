"""The few words of ASGI that Munin speaks by itself, beside Flet's own server."""

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = Iterable[tuple[bytes, bytes]]


async def respond(send: Send, status: int, headers: Headers = (), body: str = "", kind: str = "http") -> None:
    """A whole answer; `kind`: "http", or "websocket.http" to a WebSocket that is refused."""
    content = body.encode()
    length = (b"content-length", str(len(content)).encode())
    await send({"type": f"{kind}.response.start", "status": status, "headers": [*headers, length]})
    await send({"type": f"{kind}.response.body", "body": content})
