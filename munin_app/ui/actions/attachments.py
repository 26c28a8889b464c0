"""Files in the composer: picking, reading, removing, and showing what was read of them. Knows no control but dialogs."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import flet as ft

from munin_app.bootstrap import Munin
from munin_app.chat.attached.files import read_content, read_path, require_size
from munin_app.chat.turn import sentence_of
from munin_app.domain.attachments import Attachment, FileKind, ReadFile, safe_name
from munin_app.errors import AttachmentRefused, MessageRefused
from munin_app.i18n import _
from munin_app.ui.actions.chat import ChatActions
from munin_app.ui.actions.shell import Shell, telling
from munin_app.ui.components.attachment import file_dialog, parts_of
from munin_app.ui.state import Attaching, FileChip
from munin_app.ui.uploads import UPLOADS

UPLOAD_SECONDS = 120

Reader = Callable[[Callable[[int, int], object]], Awaitable[ReadFile]]
"""Reads a file, and tells of its pages meanwhile."""


class AttachmentActions:
    def __init__(self, munin: Munin, shell: Shell, chat: ChatActions, state: Attaching) -> None:
        self._munin = munin
        self._shell = shell
        self._chat = chat
        self.state = state
        self._unfinished: dict[str, list[FileChip]] = {}
        """By chat: those that are being read, and those that could not be."""
        self._reading: dict[FileChip, asyncio.Task[None]] = {}
        chat.composer_changed, chat.attached, chat.files_ready = self._show, self.to_send, self._ready

    # What the composer holds

    def _show(self) -> None:
        self._shell.run(self.load())

    async def load(self) -> None:
        """The files of the draft that is shown. While a message is edited: what it came with, which stays."""
        key, edited = self._chat.attaching_to, self._chat.state.editing
        attachments = self._munin.controller.attachments
        if edited:
            known: Sequence[Attachment] = (await attachments.of(self._chat.conversation_id)).get(edited, ())
        else:
            known = await attachments.in_composer(key)
        if (key, edited) != (self._chat.attaching_to, self._chat.state.editing):
            return  # another draft is shown meanwhile
        chips = [FileChip(one.name, one) for one in known]
        self.state.fixed = bool(edited)
        self.state.chips = tuple(chips if edited else [*chips, *self._unfinished.get(key, ())])
        self._chat.look_whether_filled()
        if self._chat.state.following:
            self._chat.scroll_to_end()

    def _ready(self) -> int:
        """How many were read and would be sent."""
        return 0 if self.state.fixed else sum(chip.attachment is not None for chip in self.state.chips)

    def to_send(self) -> Sequence[str]:
        """Ids of what goes with the next message. Raises MessageRefused while something is being read."""
        if self.state.fixed:
            return ()
        reading = [chip.name for chip in self.state.chips if chip.reading]
        if reading:
            raise MessageRefused(_("{name} is still being read. Send when it is, or remove it.").format(name=reading[0]))
        self._unfinished.pop(self._chat.attaching_to, None)  # what could not be read has been seen
        return [chip.attachment.id for chip in self.state.chips if chip.attachment]

    # Attaching

    @telling
    async def pick(self) -> None:
        picker = ft.FilePicker()
        files = await picker.pick_files(dialog_title=_("Attach files"), allow_multiple=True, cancel_upload_on_window_blur=False)
        self._chat.focus_composer()
        for file in files or ():
            self._begin(file.name, self._reader(picker, file))

    def _reader(self, picker: ft.FilePicker, file: ft.FilePickerFile) -> Reader:
        if file.path:
            path = Path(file.path)
            return lambda progress: read_path(path, progress)

        async def read(progress: Callable[[int, int], object]) -> ReadFile:
            name = safe_name(file.name)
            require_size(name, file.size)
            return await read_content(name, await _uploaded(picker, file, name), progress)

        return read

    async def attach(self, typed: str) -> None:
        """The file of that path; its chip says what went wrong."""
        path = Path(typed)
        chip = self._begin(path.name, lambda progress: read_path(path, progress))
        await asyncio.wait([self._reading[chip]])

    def _begin(self, name: str, read: Reader) -> FileChip:
        chip, key = FileChip(safe_name(name)), self._chat.attaching_to
        self._unfinished.setdefault(key, []).append(chip)
        self.state.chips = (*self.state.chips, chip)
        chip.reading = True
        task = self._reading[chip] = asyncio.create_task(self._read(chip, key, read))
        task.add_done_callback(lambda done: self._reading.pop(chip, None))
        return chip

    async def _read(self, chip: FileChip, key: str, read: Reader) -> None:
        def progressed(done: int, total: int) -> None:
            chip.done, chip.total = done, total

        try:
            await self._munin.controller.attachments.add(key, await read(progressed))
            self._drop(chip, key)
        except Exception as error:
            chip.error = sentence_of(error)
        finally:
            chip.reading = False
        await self._shell.attempt(self.load())

    def _drop(self, chip: FileChip, key: str) -> None:
        self._unfinished[key] = [one for one in self._unfinished.get(key, []) if one is not chip]

    @telling
    async def remove(self, chip: FileChip) -> None:
        if task := self._reading.get(chip):
            task.cancel()
        if chip.attachment:
            await self._munin.controller.attachments.remove(chip.attachment)
        else:
            self._drop(chip, self._chat.attaching_to)
        await self.load()
        self._chat.focus_composer()

    # Reading

    @telling
    async def show(self, attachment: Attachment) -> None:
        """What was read of it, part by part: a book at once would hold up the page."""
        text = await self._munin.controller.attachments.text(attachment)
        parts = await asyncio.to_thread(parts_of, text, paged=attachment.kind is FileKind.PDF)

        def show(number: int) -> None:
            self._shell.show_dialog(file_dialog(attachment, parts, number, show, self._shell.close_dialog))

        show(0)

    def close(self) -> None:
        for task in self._reading.values():
            task.cancel()


async def _uploaded(picker: ft.FilePicker, file: ft.FilePickerFile, name: str) -> bytes:
    """Raises AttachmentRefused."""
    address, arriving = UPLOADS.expect()
    try:
        async with asyncio.timeout(UPLOAD_SECONDS):
            await picker.upload([ft.FilePickerUploadFile(upload_url=address, id=file.id, name=file.name)])
            return await arriving
    except (TimeoutError, asyncio.CancelledError) as error:
        if (task := asyncio.current_task()) and task.cancelling():
            raise
        raise AttachmentRefused(_("{name} did not arrive whole. Attach it again.").format(name=name)) from error
    finally:
        arriving.cancel()
