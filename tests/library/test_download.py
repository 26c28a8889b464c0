"""Downloads from a server that misbehaves: what ends under its name is right, and what is wrong is said and gone."""

import asyncio
import gzip
import hashlib
import random
import resource
import shutil
from collections import namedtuple
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from munin_app.errors import ModelError
from munin_app.library.catalog import CatalogFile
from munin_app.library.download import Patience, download
from munin_app.library.part import Part, discard, part_of
from munin_app.library.progress import Progress
from tests.library.server import Answer, Handler, Request, Server, file_answer, serving

CONTENT = b"GGUF" + random.Random(1).randbytes(300_000)
QUICK = Patience(tries=3, first_wait=0, longest_wait=60, silence=5)


def expected(server: Server, **changes: object) -> CatalogFile:
    digest = hashlib.sha256(CONTENT).hexdigest()
    file = CatalogFile("m.gguf", digest, len(CONTENT), f"{server.address}/m.gguf")
    return replace(file, **changes)  # type: ignore[arg-type]


def honest(request: Request) -> Answer:
    return file_answer(request, CONTENT)


def in_turn(*handlers: Handler) -> Handler:
    """Each request gets the next handler; the last one stays."""
    left: Iterator[Handler] = iter(handlers)
    last = [next(left)]

    def handle(request: Request) -> Answer:
        answer = last[0](request)
        last[0] = next(left, last[0])
        return answer

    return handle


def dropping(after: int) -> Handler:
    return lambda request: replace(honest(request), drop_after=after)


def status(code: int, **headers: str) -> Handler:
    return lambda request: Answer(code, b"no", {name.replace("_", "-"): value for name, value in headers.items()})


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "models" / "m.gguf"


def names(target: Path) -> list[str]:
    return sorted(path.name for path in target.parent.iterdir())


async def fails(server: Server, target: Path, said: str, **changes: object) -> None:
    """The download is refused with these words, and nothing stands under its name."""
    with pytest.raises(ModelError, match=said):
        await download(expected(server, **changes), target, patience=QUICK)
    assert not target.exists()


async def test_a_file_arrives_whole_and_leaves_nothing_beside_it(target: Path) -> None:
    seen: list[Progress] = []
    async with serving(honest) as server:
        await download(expected(server), target, seen.append)
    assert target.read_bytes() == CONTENT
    assert names(target) == ["m.gguf"]
    assert (seen[-1].received_bytes, seen[-1].total_bytes) == (len(CONTENT), len(CONTENT))


async def test_dropped_connections_are_taken_up_where_they_broke(target: Path) -> None:
    async with serving(in_turn(*[dropping(after) for after in (0, 50_000, 1, 0, 99_999)], honest)) as server:
        await download(expected(server), target, patience=QUICK)
    assert target.read_bytes() == CONTENT
    assert [request.start for request in server.requests] == [0, 0, 50_000, 50_001, 50_001, 150_000]
    assert server.body_bytes == len(CONTENT), "no byte was fetched twice"


async def test_tries_that_bring_nothing_new_end_and_what_arrived_is_kept(target: Path) -> None:
    async with serving(in_turn(dropping(1_000), dropping(0))) as server:
        await fails(server, target, "3 tries in a row brought nothing new")
        assert part_of(target).read_bytes() == CONTENT[:1_000]
        server.handler = honest
        await download(expected(server), target)
    assert server.body_bytes == len(CONTENT)


async def test_a_stalled_connection_is_given_up_and_taken_up(target: Path) -> None:
    async with serving(in_turn(lambda request: replace(honest(request), stall_after=70_000), honest)) as server:
        await download(expected(server), target, patience=replace(QUICK, silence=0.2))
    assert server.body_bytes == len(CONTENT)


async def test_a_cancelled_download_is_kept_and_gone_on_with(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("munin_app.library.progress._REPORT_EVERY", 0)
    arrived = asyncio.Event()

    def see(progress: Progress) -> None:
        if progress.received_bytes == 70_000:
            arrived.set()

    async with serving(lambda request: replace(honest(request), stall_after=70_000)) as server:
        task = asyncio.create_task(download(expected(server), target, see))
        await arrived.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not target.exists()
        server.handler = honest
        await download(expected(server), target)
    assert server.body_bytes == len(CONTENT)
    assert target.read_bytes() == CONTENT


async def test_what_arrived_can_be_thrown_away(target: Path) -> None:
    async with serving(in_turn(dropping(5_000), status(403))) as server:
        await fails(server, target, "does not give")
    discard(target)
    assert names(target) == []


async def test_a_server_that_ignores_ranges_begins_again(target: Path) -> None:
    def from_the_start(request: Request) -> Answer:
        return file_answer(request, CONTENT, ranges=False)

    async with serving(in_turn(dropping(9_000), from_the_start)) as server:
        await download(expected(server), target, patience=QUICK)
    assert target.read_bytes() == CONTENT


async def test_a_server_that_ignores_ranges_and_drops_at_the_same_place_is_given_up(target: Path) -> None:
    async with serving(lambda request: replace(file_answer(request, CONTENT, ranges=False), drop_after=9_000)) as server:
        await fails(server, target, "brought nothing new")
        assert len(server.requests) == 4


@pytest.mark.parametrize("minds_if_range", [True, False])
async def test_a_file_that_changes_midway_is_fetched_anew(target: Path, minds_if_range: bool) -> None:
    def older(request: Request) -> Answer:
        return replace(file_answer(request, bytes(len(CONTENT)), '"zero"'), drop_after=8_000)

    def newer(request: Request) -> Answer:
        headers = {**request.headers}
        if not minds_if_range:
            headers.pop("if-range", None)
        return file_answer(replace(request, headers=headers), CONTENT)

    async with serving(in_turn(older, newer)) as server:
        await download(expected(server), target, patience=QUICK)
    assert target.read_bytes() == CONTENT


async def test_wrong_bytes_are_deleted_and_said(target: Path) -> None:
    async with serving(lambda request: file_answer(request, CONTENT[:-1] + b"x")) as server:
        await fails(server, target, "arrived damaged")
    assert names(target) == []


async def test_what_lay_here_and_is_wrong_is_found_at_the_end(target: Path) -> None:
    async with serving(in_turn(dropping(4_000), dropping(0))) as server:
        await fails(server, target, "kept")
        part_of(target).write_bytes(bytes(4_000))
        server.handler = honest
        await fails(server, target, "arrived damaged")
    assert names(target) == []


@pytest.mark.parametrize("length", [len(CONTENT) - 1, len(CONTENT) + 1, 10**15])
async def test_another_length_than_the_catalogues_is_refused_before_it_is_fetched(target: Path, length: int) -> None:
    async with serving(lambda request: replace(honest(request), length=length)) as server:
        await fails(server, target, "the catalogue expects 300,004")


async def test_a_body_that_ends_early_or_goes_on_is_not_believed(target: Path) -> None:
    async with serving(lambda request: Answer(200, CONTENT[:9_000], length=-1)) as server:
        await fails(server, target, "the server ended early")
        server.handler = lambda request: Answer(200, CONTENT + b"more", length=-1)
        await fails(server, target, "turned out longer")
    assert names(target) == []


async def test_without_any_length_nothing_can_be_checked(target: Path) -> None:
    async with serving(lambda request: Answer(200, CONTENT, length=-1)) as server:
        await fails(server, target, "does not say how long", size_bytes=0, sha256="")


@pytest.mark.parametrize(
    ("code", "said"),
    [(403, "does not give"), (401, "does not give"), (404, "has no m.gguf any more"), (410, "any more"), (418, "answered 418")],
)
async def test_a_refusal_is_said_at_once(target: Path, code: int, said: str) -> None:
    async with serving(status(code)) as server:
        await fails(server, target, said)
        assert len(server.requests) == 1


async def test_a_refusal_midway_keeps_what_arrived(target: Path) -> None:
    async with serving(in_turn(dropping(5_000), status(403))) as server:
        await fails(server, target, "does not give")
    assert part_of(target).stat().st_size == 5_000


@pytest.mark.parametrize("code", [429, 500, 502, 503])
async def test_a_fault_of_the_server_is_waited_out(target: Path, code: int) -> None:
    async with serving(in_turn(status(code, Retry_After="0"), status(code), dropping(7), status(code), honest)) as server:
        await download(expected(server), target, patience=QUICK)
    assert target.read_bytes() == CONTENT


@pytest.mark.parametrize("wait", ["3600", "Fri, 31 Dec 2999 23:59:59 GMT"])
async def test_a_server_that_asks_for_an_hour_is_not_waited_for(target: Path, wait: str) -> None:
    async with serving(status(429, Retry_After=wait)) as server:
        await fails(server, target, "asks to wait")
        assert len(server.requests) == 1


async def test_an_unusable_retry_after_counts_as_none(target: Path) -> None:
    async with serving(in_turn(status(503, Retry_After="soon"), honest)) as server:
        await download(expected(server), target, patience=QUICK)


async def test_redirects_are_followed_and_counted(target: Path) -> None:
    def moved(request: Request) -> Answer:
        return honest(request) if request.path == "/there" else Answer(302, b"", {"Location": "/there"})

    async with serving(moved) as server:
        await download(expected(server), target)
        server.handler = status(302, Location="/again")
        target.unlink()
        await fails(server, target, "more than 10 redirects")


@pytest.mark.parametrize(
    "to", ["http://example.com/m.gguf", "ftp://127.0.0.1/m", "file:///etc/passwd", "https://a:b@c.d/", "http://["]
)
async def test_a_redirect_to_where_nothing_is_fetched_from_is_refused(target: Path, to: str) -> None:
    async with serving(status(302, Location=to)) as server:
        await fails(server, target, "redirects to an address that")


@pytest.mark.parametrize("address", ["http://example.com/m.gguf", "https://", "m.gguf", "https://" + "a" * 80 + ".com/m"])
async def test_an_address_from_which_nothing_is_fetched_is_refused(target: Path, address: str) -> None:
    file = CatalogFile("m.gguf", "", 0, "https://example.com/m.gguf")
    object.__setattr__(file, "address", address)  # past the catalogue's own check
    with pytest.raises(ModelError, match="cannot be downloaded"):
        await download(file, target, patience=QUICK)


async def test_a_sign_in_page_does_not_cost_what_arrived(target: Path) -> None:
    page = Answer(200, b"<html>Welcome to our network", {"Content-Type": "text/html; charset=utf-8"}, length=-1)
    async with serving(in_turn(dropping(5_000), lambda request: page)) as server:
        await fails(server, target, "ask you to sign in")
    assert part_of(target).read_bytes() == CONTENT[:5_000]


async def test_a_compressed_answer_is_refused(target: Path) -> None:
    packed = Answer(200, gzip.compress(CONTENT), {"Content-Encoding": "gzip"})
    async with serving(lambda request: packed) as server:
        await fails(server, target, "something else than the file")
        assert server.requests[0].headers["accept-encoding"] == "identity"


async def test_no_server_is_said(target: Path) -> None:
    async with serving(honest) as server:
        pass
    await fails(server, target, "the connection was lost")
    assert names(target) == []


async def test_an_unverified_file_needs_a_gguf_header_at_least(target: Path) -> None:
    async with serving(honest) as server:
        await download(expected(server, sha256="", size_bytes=0), target, patience=QUICK)
        target.unlink()
        server.handler = lambda request: file_answer(request, b"x" * 1_000)
        await fails(server, target, "no GGUF file", sha256="", size_bytes=0)
    assert names(target) == []


async def test_an_unverified_file_is_resumed_by_its_etag_and_begun_anew_without_one(target: Path) -> None:
    unverified = {"sha256": "", "size_bytes": 0}
    async with serving(in_turn(dropping(5_000), dropping(0))) as server:
        await fails(server, target, "kept", **unverified)
        server.handler = honest
        await download(expected(server, **unverified), target, patience=QUICK)
        assert server.requests[-1].start == 5_000
        target.unlink()

        server.handler = in_turn(lambda request: Answer(200, CONTENT, drop_after=5_000), status(403))
        await fails(server, target, "does not give", **unverified)
        server.handler = honest
        await download(expected(server, **unverified), target, patience=QUICK)
        assert server.requests[-1].start == 0
    assert target.read_bytes() == CONTENT


async def test_a_part_of_another_address_or_size_is_not_gone_on_with(target: Path) -> None:
    async with serving(in_turn(dropping(5_000), status(403))) as server:
        await fails(server, target, "does not give")
        server.handler = honest
        await download(expected(server, address=f"{server.address}/elsewhere"), target, patience=QUICK)
        assert server.requests[-1].start == 0


@pytest.mark.parametrize(
    "note", [b"", b"{", b"[]", b'{"address": 1}', b"[" * 9_000, b"\xff\xfe", b'{"address": "", "size_bytes": "x"}']
)
async def test_a_damaged_note_begins_anew(target: Path, note: bytes) -> None:
    async with serving(in_turn(dropping(5_000), status(403))) as server:
        await fails(server, target, "does not give")
        target.with_name("m.gguf.part.json").write_bytes(note)
        server.handler = honest
        await download(expected(server), target, patience=QUICK)
    assert target.read_bytes() == CONTENT


async def test_a_whole_part_needs_no_server(target: Path) -> None:
    """Killed between the last byte and its name."""
    async with serving(in_turn(dropping(5_000), status(403))) as server:
        await fails(server, target, "does not give")
    part_of(target).write_bytes(CONTENT)
    await download(expected(server), target, patience=QUICK)
    assert target.read_bytes() == CONTENT


async def test_one_download_of_a_file_at_a_time(target: Path) -> None:
    async with serving(lambda request: replace(honest(request), stall_after=70_000)) as server:
        first = asyncio.create_task(download(expected(server), target))
        await server.stalled.wait()
        with pytest.raises(ModelError, match="being downloaded already"):
            await download(expected(server), target)
        with pytest.raises(ModelError, match="being downloaded already"):
            discard(target)
        assert part_of(target).exists()
        first.cancel()
        await asyncio.wait([first])


async def test_too_little_room_is_said_before_anything_is_written(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(10**9, 10**9 - 10**8, 10**8))
    async with serving(honest) as server:
        await fails(server, target, "Free some space")
    assert names(target) == []


async def test_a_disk_that_fills_up_keeps_a_part_that_can_be_gone_on_with(target: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    async with serving(honest) as server:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
        try:
            await fails(server, target, "is full")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert part_of(target).read_bytes() == CONTENT[:100_000]
        await download(expected(server), target, patience=QUICK)
        assert server.requests[-1].start == 100_000
    assert target.read_bytes() == CONTENT


async def test_a_folder_that_cannot_be_written_is_said(target: Path) -> None:
    target.parent.write_text("a file where the folder should be")
    async with serving(honest) as server:
        with pytest.raises(ModelError, match="could not be written"):
            await download(expected(server), target, patience=QUICK)


async def test_a_proxy_that_cannot_be_used_is_said(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "gopher://proxy.example")
    async with serving(honest) as server:
        await fails(server, target, "proxy")


async def test_a_proxy_is_honoured_but_not_for_this_machine(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(status(502)) as proxy, serving(honest) as server:
        monkeypatch.setenv("ALL_PROXY", proxy.address)
        await download(expected(server), target, patience=QUICK)
        assert not proxy.requests
        await fails(server, target.with_name("n.gguf"), "tries in a row", address="https://example.com/n.gguf")
        assert proxy.requests[0].path == "example.com:443"


def test_a_part_without_a_byte_leaves_nothing(target: Path) -> None:
    part = Part(target)
    part.open()
    part.close()
    assert names(target) == []
