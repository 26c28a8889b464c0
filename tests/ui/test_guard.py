"""The web guard, over real HTTP and WebSocket: only this device's own browser, with the token, reaches the app."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass

import flet as ft
import httpx
import pytest
import websockets

from munin_app.errors import MuninError
from munin_app.ui.farewell import FAREWELL, PATH
from munin_app.ui.server import bound_socket, guarded_server


@dataclass
class Served:
    port: int
    token: str

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def cookie(self) -> str:
        answer = await get(self, f"/?token={self.token}")
        return answer.headers["set-cookie"].split(";")[0]


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    async def main(page: ft.Page) -> None:
        page.add(ft.Text("inside"))

    bound = bound_socket(0)
    port, token = bound.getsockname()[1], secrets.token_urlsafe(8)
    server = guarded_server(main, port, token)
    task = asyncio.create_task(server.serve(sockets=[bound]))
    while not server.started:  # noqa: ASYNC110  # uvicorn has no event for it
        await asyncio.sleep(0.01)
    yield Served(port, token)
    server.should_exit = True
    await task


async def get(served: Served, path: str = "/", **headers: str) -> httpx.Response:
    async with httpx.AsyncClient(verify=False) as client:
        return await client.get(served.base + path, headers=headers)


async def test_token_is_replaced_by_a_strict_cookie_and_leaves_the_address(served: Served) -> None:
    answer = await get(served, f"/?token={served.token}")
    assert answer.status_code == 303 and answer.headers["location"] == "/"
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and served.token not in cookie


async def test_the_page_that_stays_when_munin_closes_needs_nothing_else(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FAREWELL, "shown", asyncio.Event())
    assert (await get(served, PATH)).status_code == 403
    answer = await get(served, PATH, cookie=await served.cookie())
    assert "Munin is closed." in answer.text and FAREWELL.shown.is_set()
    assert "src=" not in answer.text and "href=" not in answer.text


async def test_with_the_cookie_the_app_is_served_and_may_load_nothing_from_elsewhere(served: Served) -> None:
    answer = await get(served, cookie=await served.cookie())
    assert answer.status_code == 200
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    assert "access-control-allow-origin" not in answer.headers
    assert answer.headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize("path", ["/", "/?token=", "/?token=wrong", "/flutter_bootstrap.js", "/openapi.json", "/docs"])
async def test_without_token_or_cookie_everything_is_refused_in_a_plain_sentence(served: Served, path: str) -> None:
    answer = await get(served, path)
    assert answer.status_code == 403 and "launch token" in answer.text


async def test_wrong_cookie_is_refused(served: Served) -> None:
    name = (await served.cookie()).split("=")[0]
    assert (await get(served, cookie=f"{name}=wrong")).status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "evil.example:{port}", ""])
async def test_foreign_host_is_refused_even_with_the_token(served: Served, host: str) -> None:
    answer = await get(served, f"/?token={served.token}", host=host.format(port=served.port))
    assert answer.status_code in (400, 403) and "set-cookie" not in answer.headers


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1"])
async def test_foreign_origin_is_refused_even_with_the_cookie(served: Served, origin: str) -> None:
    answer = await get(served, cookie=await served.cookie(), origin=origin.format(port=served.port))
    assert answer.status_code == 403


async def connect(served: Served, **headers: str) -> int:
    """The status of a WebSocket handshake: 101 when it was accepted."""
    try:
        async with websockets.connect(f"ws://127.0.0.1:{served.port}/ws", additional_headers=headers):
            return 101
    except websockets.InvalidStatus as refused:
        return refused.response.status_code


async def test_websocket_needs_both_cookie_and_own_origin(served: Served) -> None:
    cookie = await served.cookie()
    assert await connect(served, Cookie=cookie, Origin=served.base) == 101
    assert await connect(served, Cookie=cookie) == 403
    assert await connect(served, Origin=served.base) == 403
    assert await connect(served, Cookie=cookie, Origin="http://evil.example") == 403
    assert await connect(served, Cookie=cookie, Origin=f"http://localhost:{served.port}") == 403


async def test_websocket_with_the_token_alone_is_refused(served: Served) -> None:
    with pytest.raises(websockets.InvalidStatus):
        await websockets.connect(f"ws://127.0.0.1:{served.port}/ws?token={served.token}", origin=served.base)  # type: ignore[arg-type]


def test_a_port_that_is_taken_is_said_so() -> None:
    bound = bound_socket(0)
    bound.listen()
    with pytest.raises(MuninError, match="--port"):
        bound_socket(bound.getsockname()[1])
    bound.close()
