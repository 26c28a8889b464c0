"""Downloads one file of the catalogue: resumes, checks, and gives up with a reason. Knows no model and no catalogue of them.

Importing this takes httpx along (half a second): import it when something is to be downloaded.
"""

import asyncio
import errno
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, TypeVar

import httpx

from munin_app import __version__
from munin_app.errors import ModelError
from munin_app.i18n import _, decimal
from munin_app.library.answers import TryAgain, check_answer, explained, extent, make_client, why_not_fetched
from munin_app.library.catalog import CatalogFile
from munin_app.library.part import Origin, Part
from munin_app.library.progress import Meter, Report, silent
from munin_app.library.verify import check_gguf

T = TypeVar("T")

_WRITE_BYTES = 1 << 18
"""What a kill may cost: bytes that arrived and are not in the file yet."""
_KEPT_FREE_BYTES = 200_000_000
"""What a download leaves free: the chats live on the same disk."""
_MOST_REDIRECTS = 10
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@dataclass(frozen=True, slots=True)
class Patience:
    """When to give up. Times in seconds."""

    tries: int = 6
    """In a row that brought not one new byte."""
    first_wait: float = 1.0
    """Doubles with each such try."""
    longest_wait: float = 120.0
    """A server that asks for more than this is not waited for."""
    silence: float = 30.0
    """A connection that brings nothing for so long is given up."""


DEFAULT_PATIENCE = Patience()


async def download(
    file: CatalogFile, target: Path, report: Report = silent, patience: Patience = DEFAULT_PATIENCE, then_bytes: int = 0
) -> None:
    """Brings `file` to `target`, where it appears only when it is whole and has the catalogue's length and SHA-256.

    Raises ModelError. What arrived is kept beside `target` and gone on from next time, also after a cancellation or a kill;
    only what proved to be wrong is deleted. `report` is called on the loop, some ten times a second. `then_bytes` are to be
    downloaded after it: the disk must have room for them as well.
    """
    if reason := why_not_fetched(file.address):
        raise ModelError(
            _("{file} cannot be downloaded: its address {reason}. Correct the catalogue.").format(file=file.file, reason=reason)
        )
    disk = ThreadPoolExecutor(1, "download")
    transfer = _Transfer(file, Part(target), Meter(report, file.size_bytes), patience, then_bytes + _KEPT_FREE_BYTES, disk)
    try:
        await transfer.run()
    finally:
        try:
            await transfer.on_disk(transfer.part.close)
        finally:
            disk.shutdown(wait=False)


class _Transfer:
    """One run: as many tries as it takes. All of the disk's work is done on one thread, in order."""

    def __init__(
        self, file: CatalogFile, part: Part, meter: Meter, patience: Patience, spare_bytes: int, disk: ThreadPoolExecutor
    ) -> None:
        self.part = part
        self._file = file
        self._meter = meter
        self._patience = patience
        self._spare_bytes = spare_bytes
        self._disk = disk

    async def run(self) -> None:
        await self.on_disk(self.part.open)
        await self._take_up()
        if not self._whole():
            async with await asyncio.to_thread(make_client, self._patience.silence) as client:
                await self._receive_all(client)
        await self._finish()

    async def on_disk(self, work: Callable[..., T], *arguments: object) -> T:
        """Raises ModelError where the disk is full or cannot be written. Done, and in order, even if the waiting is cancelled."""
        try:
            return await asyncio.shield(asyncio.get_running_loop().run_in_executor(self._disk, work, *arguments))
        except OSError as error:
            raise self._disk_error(error) from error

    def _disk_error(self, error: OSError) -> ModelError:
        name, folder = self._file.file, self.part.target.parent
        if error.errno in _FULL:
            kept = _("{number} MB of {name} arrived and are kept").format(number=decimal(self.part.length / 1000000.0), name=name)
            return ModelError(
                _("The disk of {folder} is full; {kept}. Free some space and go on, or remove what arrived.").format(
                    folder=folder, kept=kept
                )
            )
        return ModelError(
            _("{name} could not be written into {folder} ({strerror}). Make the folder writable.").format(
                name=name, folder=folder, strerror=error.strerror
            )
        )

    # what is here

    async def _take_up(self) -> None:
        """What an earlier run left is gone on from where it belongs to this very file."""
        origin, part = self.part.origin, self.part
        if origin is None or not self._is_ours(origin):
            await self.on_disk(part.restart, Origin(self._file.address, self._file.size_bytes))
            return
        self._meter.total_bytes = origin.size_bytes
        hashed = 0
        while hashed < part.length:
            hashed = await self.on_disk(part.hash_some)
            self._meter.checked(hashed)

    def _is_ours(self, origin: Origin) -> bool:
        """Whether the bytes here may be the beginning of this file: there must be something to tell it by, too."""
        ours = origin.address == self._file.address and self._fits(origin.size_bytes)
        return ours and self.part.length <= origin.size_bytes and bool(origin.validator or self._file.sha256)

    def _fits(self, size_bytes: int) -> bool:
        """Whether the catalogue allows a file of that size."""
        return self._file.size_bytes in (0, size_bytes)

    def _whole(self) -> bool:
        return 0 < self._meter.total_bytes <= self.part.length

    # tries

    async def _receive_all(self, client: httpx.AsyncClient) -> None:
        fruitless, most = 0, self.part.length
        while not self._whole():
            try:
                await self._receive(client)
                return
            except TryAgain as caught:
                again = caught
            except httpx.TransportError as error:
                again = TryAgain(explained(error))
            fruitless = 0 if self.part.length > most else fruitless + 1
            most = max(most, self.part.length)
            if fruitless >= self._patience.tries:
                raise ModelError(
                    _(
                        "{file}: {again}; {fruitless} tries in a row brought nothing new. {number} MB are kept: "
                        "download it again to go on from there."
                    ).format(file=self._file.file, again=again, fruitless=fruitless, number=decimal(self.part.length / 1000000.0))
                )
            self._meter.waiting(self.part.length, str(again))
            await asyncio.sleep(self._patience.first_wait * 2 ** max(0, fruitless - 1) if again.after is None else again.after)

    async def _receive(self, client: httpx.AsyncClient) -> None:
        """One try: returns when the server sent all that it had announced."""
        response = await self._open(client)
        try:
            await self._accept(response)
            await self._check_room()
            await self._store(response)
        finally:
            await response.aclose()
        if not self._whole():
            raise TryAgain(_("the server ended early"))

    async def _open(self, client: httpx.AsyncClient) -> httpx.Response:
        """Follows redirects by itself: each address on the way has to be one that we fetch from."""
        url = httpx.URL(self._file.address)
        for _hop in range(_MOST_REDIRECTS):
            response = await client.send(client.build_request("GET", url, headers=self._headers()), stream=True)
            if not response.has_redirect_location:
                return response
            await response.aclose()
            url = self._redirected(url, response.headers["Location"])
        raise ModelError(
            _("{file} cannot be downloaded: more than {most_redirects} redirects. Try again later.").format(
                file=self._file.file, most_redirects=_MOST_REDIRECTS
            )
        )

    def _redirected(self, url: httpx.URL, location: str) -> httpx.URL:
        try:
            onward = str(url.join(location))
        except (httpx.InvalidURL, ValueError):
            onward = ""
        if reason := why_not_fetched(onward, redirected_from=str(url)):
            raise ModelError(
                _(
                    "{file} cannot be downloaded: {host} redirects to an address that {reason}. Does this network ask "
                    "you to sign in? Try another network, or correct the catalogue."
                ).format(file=self._file.file, host=url.host, reason=reason)
            )
        return httpx.URL(onward)

    def _headers(self) -> dict[str, str]:
        headers = {"User-Agent": f"Munin/{__version__}", "Accept-Encoding": "identity"}
        if self.part.length:
            headers["Range"] = f"bytes={self.part.length}-"
            if self.part.origin and self.part.origin.validator:
                headers["If-Range"] = self.part.origin.validator
        return headers

    # what the server answers

    async def _accept(self, response: httpx.Response) -> None:
        """Makes the part ready for the body of this answer. Raises ModelError or TryAgain."""
        if response.status_code == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE and self.part.length:
            await self._begin_anew()
        check_answer(response, self._file.file, self._patience.longest_wait)
        start, total = extent(response)
        name, headers = self._file.file, response.headers
        if total is None and not self._file.size_bytes:
            raise ModelError(
                _("{host} does not say how long {name} is, nor does the catalogue: nothing to check by.").format(
                    host=response.url.host, name=name
                )
            )
        size = total if total is not None else self._file.size_bytes
        if not self._fits(size):
            raise ModelError(
                _(
                    "{host} has a file {name} of {size} bytes; the catalogue expects {size_bytes}. It was replaced "
                    "there, or the catalogue is old. Nothing was changed."
                ).format(host=response.url.host, name=name, size=decimal(size), size_bytes=decimal(self._file.size_bytes))
            )
        origin = Origin(self._file.address, size, headers.get("ETag", ""), headers.get("Last-Modified", ""))
        if start == 0:
            await self.on_disk(self.part.restart, origin)
        elif start != self.part.length or not self._continues(origin):
            await self._begin_anew()
        self._meter.total_bytes = size
        self._meter.at(self.part.length)

    async def _begin_anew(self) -> NoReturn:
        await self.on_disk(self.part.restart, Origin(self._file.address, self._file.size_bytes))
        raise TryAgain(_("the file changed on its server"))

    def _continues(self, origin: Origin) -> bool:
        """Whether a partial answer belongs to the bytes that are here: a server may ignore If-Range."""
        ours = self.part.origin
        if ours is None or ours.size_bytes != origin.size_bytes:
            return False
        return not (ours.validator and origin.validator) or ours.validator == origin.validator

    async def _check_room(self) -> None:
        free = (await self.on_disk(shutil.disk_usage, self.part.target.parent)).free
        needed = self._meter.total_bytes - self.part.length + self._spare_bytes
        if free < needed:
            raise ModelError(
                _(
                    "{file} needs {number} MB on the disk of {parent} (some is left free for your chats); "
                    "{number2} MB are free. Free some space, or choose a smaller model."
                ).format(
                    file=self._file.file,
                    number=decimal(needed / 1000000.0),
                    parent=self.part.target.parent,
                    number2=decimal(free / 1000000.0),
                )
            )

    async def _store(self, response: httpx.Response) -> None:
        """What arrived is stored, however the connection ends."""
        waiting = bytearray()
        try:
            async for data in response.aiter_raw():
                waiting += data
                self._meter.received(self.part.length + len(waiting))
                if len(waiting) >= _WRITE_BYTES:
                    full, waiting = waiting, bytearray()
                    await self._append(full)
        finally:
            if waiting:
                await self._append(waiting)

    async def _append(self, data: bytearray) -> None:
        if self.part.length + len(data) > self._meter.total_bytes:
            await self.on_disk(self.part.discard)
            raise ModelError(
                _(
                    "{file} turned out longer than the {total_bytes} bytes that were expected, and was deleted. Try "
                    "again, or choose another model."
                ).format(file=self._file.file, total_bytes=decimal(self._meter.total_bytes))
            )
        await self.on_disk(self.part.append, data)

    async def _finish(self) -> None:
        try:
            await asyncio.to_thread(self._check)
        except ModelError:
            await self.on_disk(self.part.discard)
            raise
        await self.on_disk(self.part.finish)

    def _check(self) -> None:
        name, found = self._file.file, self.part.sha256()
        if self._file.sha256 and found != self._file.sha256:
            raise ModelError(
                _(
                    "{name} arrived damaged, or is another file than the catalogue describes (SHA-256 {found}… instead "
                    "of {sha256}…), and was deleted. Download it again; if it comes so again, choose another model."
                ).format(name=name, found=found[:12], sha256=self._file.sha256[:12])
            )
        if not self._file.sha256 and name.lower().endswith(".gguf"):
            check_gguf(self.part.path)
