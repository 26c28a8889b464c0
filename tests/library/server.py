"""A web server on loopback that does what a test tells it: honest answers, and every kind of bad one."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

_PIECE = 16_384


@dataclass(frozen=True)
class Request:
    path: str
    headers: dict[str, str]
    """Names in lower case."""

    @property
    def start(self) -> int:
        """Where the asked-for range begins; 0 without one."""
        return int(self.headers.get("range", "bytes=0-").removeprefix("bytes=").removesuffix("-"))


@dataclass(frozen=True)
class Answer:
    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    length: int | None = None
    """What Content-Length says; None: the truth, -1: nothing."""
    drop_after: int | None = None
    """The connection ends after so many bytes of the body."""
    stall_after: int | None = None
    """Nothing more comes after so many bytes of the body."""


Handler = Callable[[Request], Answer]


def file_answer(request: Request, content: bytes, etag: str = '"one"', ranges: bool = True) -> Answer:
    """As an honest server gives a file."""
    headers = {"ETag": etag}
    asked = "range" in request.headers and request.headers.get("if-range", etag) == etag
    if not ranges or not asked:
        return Answer(200, content, headers)
    if request.start >= len(content):
        return Answer(416, b"", {"Content-Range": f"bytes */{len(content)}"})
    headers["Content-Range"] = f"bytes {request.start}-{len(content) - 1}/{len(content)}"
    return Answer(206, content[request.start :], headers)


class Server:
    def __init__(self, handler: Handler) -> None:
        self.handler = handler
        self.requests: list[Request] = []
        self.body_bytes = 0
        """Sent in all answers together."""
        self.stalled = asyncio.Event()
        self.sent_all = asyncio.Event()
        self.address = ""

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines[1:] if line)}
            request = Request(lines[0].split(" ")[1], headers)
            self.requests.append(request)
            await self._send(self.handler(request), reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client went away
        finally:
            writer.close()

    async def _send(self, answer: Answer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        headers = {"Connection": "close", **answer.headers}
        if answer.length != -1:
            headers["Content-Length"] = str(len(answer.body) if answer.length is None else answer.length)
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        writer.write(f"HTTP/1.1 {answer.status} As the test says\r\n{head}\r\n".encode())
        end = min(len(answer.body), *(point for point in (answer.drop_after, answer.stall_after, 1 << 62) if point is not None))
        for start in range(0, end, _PIECE):
            writer.write(answer.body[start : min(start + _PIECE, end)])
            await writer.drain()
            self.body_bytes += min(_PIECE, end - start)
        if answer.stall_after is not None:
            self.stalled.set()
            await reader.read()  # until the client gives up
        else:
            self.sent_all.set()


@asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[Server]:
    served = Server(handler)
    listener = await asyncio.start_server(served.answer, "127.0.0.1", 0)
    served.address = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    try:
        yield served
    finally:
        listener.close()
