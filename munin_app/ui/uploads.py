"""Files that a browser hands over: into memory only, once for each address that was given out, within a limit.

A browser tells no path. It sends the file to this server, which is on the same device and answers to nobody else (`Guard`).
"""

import asyncio
import secrets

from munin_app.chat.attached.files import FILE_BYTES_MAX
from munin_app.ui.asgi import Receive, Scope, Send, respond

PREFIX = "/attach"


class Uploads:
    """An ASGI application, and what has come in by it."""

    def __init__(self) -> None:
        self._expected: dict[str, asyncio.Future[bytes]] = {}

    def expect(self) -> tuple[str, asyncio.Future[bytes]]:
        """The path that one file may be sent to, and what is in it when it has come. Cancel it when nobody waits any more."""
        token = secrets.token_urlsafe(24)
        future = asyncio.get_running_loop().create_future()
        self._expected[token] = future
        future.add_done_callback(lambda done: self._expected.pop(token, None))
        return f"{PREFIX}/{token}", future

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        future = self._expected.pop(scope["path"].rpartition("/")[2], None)
        if future is None or scope["method"] != "PUT":
            await respond(send, 404)
            return
        content = bytearray()
        while True:
            message = await receive()
            content += message.get("body", b"")
            if message["type"] == "http.disconnect" or len(content) > FILE_BYTES_MAX:
                future.cancel()
                await respond(send, 413)
                return
            if not message.get("more_body", False):
                break
        if not future.done():
            future.set_result(bytes(content))
        await respond(send, 204)


UPLOADS = Uploads()
"""Of this process."""
