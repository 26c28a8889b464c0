"""The chat screen: header, messages, bars, composer; and the sheet that says what a reply used."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import flet as ft

from munin_app.chat.branches import LONGER, SHORTER
from munin_app.domain.attachments import Attachment
from munin_app.domain.facts import Fact, LearnedFact
from munin_app.i18n import _
from munin_app.ui.components.attachment import FileChips
from munin_app.ui.components.base import column, gap, headline, icon, mirrored, padding, sides, stack, text
from munin_app.ui.components.buttons import button, icon_button, link, menu
from munin_app.ui.components.completion import CompletionList
from munin_app.ui.components.composer import composer
from munin_app.ui.components.header import ModelChoice, model_name, phone_chat_header, wide_chat_header
from munin_app.ui.components.message import MessageView, writing_line
from munin_app.ui.components.persona import persona_menu
from munin_app.ui.components.sheet import side_frame, turn_figures, used_content
from munin_app.ui.format import title_of
from munin_app.ui.session import PageSession
from munin_app.ui.state import ChatState, MessageState, ModelView, Navigation, PersonasPage, ProfileState
from munin_app.ui.tokens import COLUMN, RADIUS_CARD, S1, S2, S3, S4, S5, S6, Tokens
from munin_app.ui.views.chat_list import conversation_menu
from munin_app.ui.views.first_run import NewChat, model_note

NEAR_END = 48
"""Pixels: closer than this to the end counts as being there."""


class Handlers:
    """What can be done with a message, for every message of one page."""

    def __init__(self, session: PageSession) -> None:
        self._session = session

    async def copy(self, message: MessageState) -> None:
        await self._session.shell.copy(message.text, _("Message"))

    async def open_file(self, attachment: Attachment) -> None:
        await self._session.attachments.show(attachment)

    def model_name(self, path: Path) -> str:
        return self._session.settings.name_of(path)

    async def copy_code(self, code: str) -> None:
        await self._session.shell.copy(code, _("Code"))

    def edit(self, message: MessageState) -> None:
        self._session.messages.edit(message)

    async def show_version(self, message: MessageState, step: int) -> None:
        await self._session.messages.show_version(message, step)

    async def retry(self, message: MessageState) -> None:
        await self._session.messages.answer_again(message)

    async def shorter(self, message: MessageState) -> None:
        await self._session.messages.answer_again(message, SHORTER)

    async def longer(self, message: MessageState) -> None:
        await self._session.messages.answer_again(message, LONGER)

    async def with_model(self, message: MessageState) -> None:
        await self._session.messages.ask_model(message)

    async def go_on(self, message: MessageState) -> None:
        await self._session.messages.go_on(message)

    async def delete(self, message: MessageState) -> None:
        await self._session.messages.delete(message)

    async def toggle_bookmark(self, message: MessageState) -> None:
        await self._session.messages.toggle_bookmark(message)

    def toggle_thought(self, message: MessageState) -> None:
        message.thought_open = not message.thought_open

    async def open_used(self, message: MessageState) -> None:
        await self._session.messages.show_used(message)

    async def undo(self, message: MessageState, learned: LearnedFact) -> None:
        await self._session.messages.undo_learned(message, learned)

    async def bring_back(self, message: MessageState, forgotten: Fact) -> None:
        await self._session.messages.bring_back(message, forgotten)

    async def open_link(self, address: str) -> None:
        await self._session.messages.ask_link(address)


def _more(t: Tokens, session: PageSession, chat: ChatState) -> ft.Control:
    conversation = chat.conversation
    if conversation and chat.messages and not conversation.temporary:
        return conversation_menu(t, session, conversation, _("More about this chat"))
    return menu(t, _("More"), [(_("New temporary chat"), ft.Icons.TIMER_OUTLINED, lambda: session.chat.new(temporary=True))])


def _model_name(session: PageSession, chat: ChatState, model: ModelView) -> str:
    """Of the model in memory, the file may know a name."""
    return model_name(model) if chat.model_of.in_use else session.settings.name_of(chat.model_of.path)


def _models(session: PageSession, chat: ChatState, model: ModelView) -> list[ModelChoice]:
    """Those that this chat may have."""
    entries = [(entry.path, entry.name) for entry in session.settings.models.entries]
    chosen = chat.model_of.path
    if chosen and all(path != chosen for path, name in entries):
        entries.insert(0, (chosen, chosen.stem))
    choices = [
        ModelChoice(
            name,
            lambda path=path: session.chat.choose_model(str(path)),
            _("Default") if path == model.default else "",
            ft.Icons.CHECK if path == chosen else None,
        )
        for path, name in entries
    ]
    if chosen:
        choices.append(ModelChoice(_("Settings of this model"), lambda: session.model_sheet.open(chosen), name=ft.Icons.TUNE))
    return [*choices, ModelChoice(_("All models"), lambda: session.go("models"), name=ft.Icons.MEMORY)]


@ft.component
def ChatHeader(
    t: Tokens, session: PageSession, chat: ChatState, model: ModelView, navigation: Navigation, personas: PersonasPage
) -> ft.Control:
    more = _more(t, session, chat)
    who = persona_menu(t, personas.items, session.personas.of(chat.conversation), session.personas.choose)
    name, choices = _model_name(session, chat, model), _models(session, chat, model)
    if t.wide:
        narrow = bool(navigation.sheet or navigation.model_sheet)
        return wide_chat_header(t, chat, model, session.chat.memory_on, name, choices, who, more, narrow=narrow)
    return phone_chat_header(
        t,
        chat,
        model,
        session.chat.memory_on,
        name,
        choices,
        title_of(chat.conversation),
        lambda: session.go("conversations"),
        lambda: session.chat.new(),
        who,
        more,
    )


def _waiting_label(chat: ChatState, model: ModelView) -> str:
    if not chat.model_of.in_use and model.phase == "ready":
        return _("Waiting for the reply in another chat")
    return _("Waiting for the model to load") if model.phase in ("loading", "idle") else _("Reading")


class EndFollower:
    """Jumps to the end some times in a row: what has just arrived is laid out by the client a few frames later."""

    TIMES = 4
    PAUSE_SECONDS = 0.08

    def __init__(self, jump: Callable[[], Awaitable[None]]) -> None:
        self._jump = jump
        self._left = 0
        self._task: asyncio.Task[None] | None = None

    def follow(self) -> None:
        self._left = self.TIMES
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        while self._left:
            self._left -= 1
            await self._jump()
            await asyncio.sleep(self.PAUSE_SECONDS)


@ft.component
def Messages(t: Tokens, session: PageSession, chat: ChatState, model: ModelView) -> ft.Control:
    """One component for each message: a token of one never renders the others again."""
    handlers = ft.use_memo(lambda: Handlers(session), [])
    view: ft.Ref[ft.ListView] = ft.use_memo(ft.Ref, [])

    async def jump() -> None:
        if view.current and chat.messages and (chat.following or chat.marked):
            await view.current.scroll_to(offset=-1 if chat.following else 0)

    follower = ft.use_memo(lambda: EndFollower(jump), [])
    session.chat.scroll_to_end = follower.follow
    ft.use_effect(follower.follow, [len(chat.messages), chat.busy, chat.conversation and chat.conversation.id])

    heading_down = ft.use_ref(False)

    def scrolled(event: ft.OnScrollEvent) -> None:
        """A jump of ours that was under way when the user scrolled up must not be taken for their coming back."""
        near = event.pixels >= event.max_scroll_extent - NEAR_END
        if event.event_type is ft.ScrollType.USER and event.direction is not ft.ScrollDirection.IDLE:
            heading_down.current = event.direction is ft.ScrollDirection.REVERSE
            if not heading_down.current and event.max_scroll_extent > 0:
                chat.following = False
        if near and heading_down.current:
            chat.following = True
        elif not near and (event.scroll_delta or 0) < 0:
            chat.following = False

    side = S6 if t.wide else S5
    last = chat.messages[-1] if chat.messages and not chat.after else None
    rows: list[ft.Control] = []
    for message in chat.messages:
        if message.id == chat.window_start:
            cut = text(
                t,
                _("The chat outgrew the model's context: from here on it sees a summary of what stands above."),
                "small",
                t.text3,
            )
            rows.append(ft.Container(column([cut]), padding=padding(side, 0, side, S6), key="cut"))
        rows.append(MessageView(t, message, handlers, message is last, message.id == chat.marked, key=message.id))
    if chat.before:
        earlier = button(t, _("Show earlier messages"), session.chat.show_earlier)
        rows.insert(0, ft.Container(column([ft.Row([earlier])]), padding=padding(side, 0, side, S6), key="earlier"))
    if chat.after:
        later = button(t, _("Show later messages"), session.chat.show_later)
        rows.append(ft.Container(column([ft.Row([later])]), padding=padding(side, 0, side, S6), key="later"))
    if chat.waiting:
        rows.append(ft.Container(column([writing_line(t, _waiting_label(chat, model))]), padding=sides(side), key="waiting"))
    items = ft.ListView(rows, ref=view, expand=True, spacing=0, padding=padding(top=S6), on_scroll=scrolled, scroll_interval=50)
    return ft.Stack(
        [ft.Container(items, left=0, right=0, top=0, bottom=0), ToEnd(t, chat, session)],
        expand=True,
    )


@ft.component
def ToEnd(t: Tokens, chat: ChatState, session: PageSession) -> ft.Control:
    """Back to the newest words, when the view was scrolled away from them."""

    jump = icon_button(t, ft.Icons.ARROW_DOWNWARD, _("To the end"), session.chat.show_end, background=t.raised, round_=True)
    left, right = mirrored(None, S4)
    return ft.Container(
        jump, left=left, right=right, bottom=S2, visible=not chat.following, border=ft.Border.all(1, t.line), border_radius=999
    )


def _bar(t: Tokens, name: ft.IconData | str, sentence: str, action: ft.Control | None) -> ft.Control:
    row: list[ft.Control] = [icon(t, name, 18, t.text3), text(t, sentence, "small", t.text2, expand=True)]
    if action:
        row.append(action)
    side = S6 if t.wide else S3
    box = ft.Container(
        ft.Row(row, spacing=S3),
        bgcolor=t.panel,
        border=ft.Border.all(1, t.line),
        border_radius=RADIUS_CARD,
        padding=padding(S4, S1, S2, S1),
        width=COLUMN,
        align=ft.Alignment.TOP_CENTER,
    )
    return ft.Container(box, padding=padding(side, S1, side, S1))


def _model_bars(t: Tokens, session: PageSession, chat: ChatState, model: ModelView) -> list[ft.Control]:
    of, bars = chat.model_of, []
    name = session.settings.name_of(of.path)
    if of.missing:
        gone = _("{missing}, the model of this chat, is no longer here. {name} answers instead.").format(
            missing=of.missing, name=name
        )
        bars.append(_bar(t, ft.Icons.INFO_OUTLINE, gone, link(t, _("Close"), session.chat.accept_default, width=56)))
    if of.path and not of.in_use and not chat.busy and model.phase in ("ready", "failed"):
        load = button(t, _("Load now"), session.chat.load_model, "text")
        bars.append(_bar(t, ft.Icons.MEMORY, _("This chat uses {name}. It is loaded when you send.").format(name=name), load))
    return bars


@ft.component
def Bars(t: Tokens, session: PageSession, chat: ChatState, model: ModelView, navigation: Navigation) -> ft.Control:
    """Notices that are told once, that another model is needed, and that memory is off. Neutral: none is a warning."""
    bars: list[ft.Control] = [
        _bar(
            t, ft.Icons.INFO_OUTLINE, notice, link(t, _("Close"), lambda notice=notice: session.dismiss_notice(notice), width=56)
        )
        for notice in navigation.notices
    ]
    bars += _model_bars(t, session, chat, model)
    temporary = bool(chat.conversation and chat.conversation.temporary)
    if not temporary and not session.chat.memory_on:
        where = _("Memory is off.") if not navigation.settings.memory_on else _("Memory is off in this chat.")
        turn_on = button(t, _("Turn on"), lambda: session.chat.set_memory(True), "text")
        bars.append(_bar(t, "feather", _("{where} Nothing is used or noted.").format(where=where), turn_on))
    if temporary and chat.messages:
        keep = button(t, _("Keep"), session.chat.keep, "text", tip=_("Keep this chat"))
        sentence = _("Temporary chat. Nothing is remembered, and it is gone when you leave it.")
        bars.append(_bar(t, ft.Icons.TIMER_OUTLINED, sentence, keep))
    return stack(bars, tight=True)


@ft.component
def Composer(t: Tokens, session: PageSession, chat: ChatState, navigation: Navigation, personas: PersonasPage) -> ft.Control:
    who = session.personas.of(chat.conversation).name
    completion = CompletionList(t, session.slash.state, session.slash)
    files, attach = FileChips(t, session.attachments.state, session.attachments), session.attachments.pick
    return composer(
        t, chat, session.chat.draft, session.chat.flag, who, session.chat.memory_on, session.chat, completion, files, attach
    )


@ft.component
def FailedModel(t: Tokens, session: PageSession, model: ModelView) -> ft.Control:
    """In a chat that has begun, a model that is not there is said above the composer."""
    side = S6 if t.wide else S3
    notes = model_note(t, session, model) if model.phase == "failed" and session.chat.state.model_of.in_use else []
    return ft.Container(column(notes), padding=sides(side, S1), visible=bool(notes))


@ft.component
def ChatPage(
    t: Tokens, session: PageSession, chat: ChatState, model: ModelView, profile: ProfileState, navigation: Navigation
) -> ft.Control:
    """Header, bars and composer keep their places when a new chat becomes one with messages."""
    shown = bool(chat.messages)
    middle: list[ft.Control] = [
        # Hidden and not taken away: the answer to a jump that is under way must find its list.
        ft.Container(stack([Messages(t, session, chat, model)]), expand=True, visible=shown),
        FailedModel(t, session, model) if shown else NewChat(t, session, chat, model, profile, session.personas.state),
    ]
    return stack(
        [
            ChatHeader(t, session, chat, model, navigation, session.personas.state),
            ft.Container(stack(middle), expand=True),
            Bars(t, session, chat, model, navigation),
            Composer(t, session, chat, navigation, session.personas.state),
        ],
        expand=True,
    )


def _used_body(t: Tokens, session: PageSession, message: MessageState) -> list[ft.Control]:
    profile = session.profile
    everything = {fact.id: fact for fact in (*profile.history, *profile.facts)}

    used = used_content(t, message.used, everything, message.sources, profile.titles, session.chat.open) if message.used else []
    made_by = session.settings.name_of(message.turn.model) if message.turn and message.turn.model else ""
    return [*used, *turn_figures(t, message.turn, made_by)] if message.turn else used


def used_sheet(t: Tokens, session: PageSession, message: MessageState) -> list[ft.Control]:
    """Title and content scroll; the way to the Memory page stays below them."""
    content = [headline(text(t, _("What this reply used"), "head")), gap(2), *_used_body(t, session, message), gap(S4)]
    body = ft.Column(content, scroll=ft.ScrollMode.AUTO, spacing=0, horizontal_alignment=ft.CrossAxisAlignment.STRETCH)
    memory = button(t, _("Open Memory"), lambda: session.go("memory"), name="feather")
    return [ft.Container(body, expand=True, expand_loose=not t.wide), ft.Container(memory, padding=padding(top=S3, bottom=S5))]


@ft.component
def SideSheet(t: Tokens, session: PageSession, message: MessageState, profile: ProfileState) -> ft.Control:
    return side_frame(t, used_sheet(t, session, message), session.shell.close_sheet)
