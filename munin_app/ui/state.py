"""Observable mirrors of what one page shows. Plain values: nothing here calls a service or builds a control.

One observable per message, so that a token of one reply never renders the others again.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import flet as ft

from munin_app.backup.listing import Space
from munin_app.chat.commands import Command
from munin_app.chat.model_state import ModelOf, TemplateOffer
from munin_app.chat.search import Excerpt
from munin_app.config import Settings
from munin_app.domain.attachments import Attachment
from munin_app.domain.events import Turn, Used
from munin_app.domain.facts import Fact, LearnedFact
from munin_app.domain.inference import ModelInfo
from munin_app.domain.memories import SHARED, ArmStatus, Memory, SearchResult, VectorProgress
from munin_app.domain.messages import Conversation, Message, MessageStatus, Role
from munin_app.domain.personas import Persona
from munin_app.evaluation.speed.models import ModelSpeed
from munin_app.i18n import _
from munin_app.imports.importing import Preview
from munin_app.imports.remembering import ImportsRemembered
from munin_app.inference.fit import Judgement
from munin_app.library.downloads import Download
from munin_app.library.encoders import InstalledEncoder
from munin_app.library.found import Found
from munin_app.library.models import InstalledModel, ModelOrigin, Offer
from munin_app.library.progress import Progress
from munin_app.storage.locks import Lock
from munin_app.ui.tokens import Tokens, tokens

if TYPE_CHECKING:
    from munin_app.ui.session import PageSession

ViewName = Literal["chat", "conversations", "memory", "models", "settings", "personas", "speed", "data"]
MemoryTab = Literal["facts", "review", "memories", "status"]
DialogBuilder = Callable[[Tokens], ft.AlertDialog]


@ft.observable
@dataclass(eq=False)
class MessageState:
    """One message on the shown path."""

    id: str
    parent_id: str | None
    role: Role
    text: str
    status: MessageStatus
    error: str = ""
    reasoning: str = ""
    """What the model thought before it answered."""
    reasoning_ms: int = 0
    thought_open: bool = False
    """The user wants to see it."""
    files: tuple[Attachment, ...] = ()
    """What came with it."""
    used: Used | None = None
    """None until it is known what the reply used."""
    sources: dict[str, Message] = field(default_factory=dict)
    """The messages that recalled snippets are from, by id; read when they are to be shown."""
    noted: tuple[LearnedFact, ...] = ()
    """What was learned from the user's message that this reply answers."""
    forgotten: tuple[Fact, ...] = ()
    """What the user's message told Munin to forget. Only here, until the page is closed."""
    cut_off: bool = False
    """It ended at the length limit."""
    bookmarked: bool = False
    siblings: tuple[str, ...] = ()
    """Ids of what may stand in its place, itself included, oldest first."""
    turn: Turn | None = None
    """How the reply came about. Known of those that ended while the page was open."""
    other_model: Path | None = None
    """The file of the model that made it, where that is not the chat's. Known as `turn` is."""
    tokens_per_second: float = 0.0
    _pieces: int = 0
    _first_piece_at: float = 0.0

    @property
    def writing(self) -> bool:
        return self.status is MessageStatus.STREAMING

    @property
    def thinking(self) -> bool:
        return self.writing and bool(self.reasoning) and not self.text

    def extend(self, reasoning: str, text: str, pieces: int, now: float) -> None:
        """More of the reply arrived: `pieces` deltas, about one for each token; `now` in seconds."""
        self._first_piece_at = self._first_piece_at or now
        self._pieces += pieces
        elapsed = now - self._first_piece_at
        if elapsed > 0.5:
            self.tokens_per_second = round(self._pieces / elapsed)
        if reasoning:
            self.reasoning += reasoning
            self.reasoning_ms = round(elapsed * 1000)
        if text:
            self.text += text

    def settle(self, message: Message) -> None:
        """As it is on disk."""
        self.reasoning, self.reasoning_ms = message.reasoning, message.reasoning_ms
        self.text, self.error, self.status = message.text, message.error, message.status
        self.cut_off, self.bookmarked = message.truncated, message.bookmarked_at is not None
        self._pieces, self._first_piece_at = 0, 0.0


def message_state(message: Message) -> MessageState:
    state = MessageState(message.id, message.parent_id, message.role, message.text, message.status)
    state.settle(message)
    return state


@ft.observable
@dataclass(eq=False)
class ChatState:
    """The open conversation. None: a new chat that has not been made yet."""

    conversation: Conversation | None = None
    model_of: ModelOf = field(default_factory=lambda: ModelOf(None))
    """Its model, which may not be the one in memory."""
    messages: list[MessageState] = field(default_factory=list)
    """Those that are drawn."""
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    """Ids of the path's others, which are drawn when they are asked for: a thousand would hold up everything."""
    marked: str = ""
    """The message that was asked for from elsewhere: the view begins near it."""
    busy: bool = False
    """A turn of this conversation runs."""
    waiting: bool = False
    """It runs, and the reply has not begun."""
    window_start: str = ""
    """The message at which the prompt begins, when the chat outgrew the model's context."""
    editing: str = ""
    """The message of the user's that the composer holds, to be sent otherwise."""
    refused: str = ""
    field: int = 0
    """Which text field the composer shows: another one is built to get the keyboard."""
    context_used: int = 0
    context_size: int = 0
    following: bool = True
    """The view keeps to the end, because the user did not scroll away from it."""


@ft.observable
@dataclass(eq=False)
class Draft:
    """The composer's text. Typing changes `_text` only and renders nothing; `version` asks the field to show it again."""

    version: int = 0
    _text: str = ""
    _autofocus: bool = False
    """On a phone, where the keyboard does not come up by itself."""


@ft.observable
@dataclass(eq=False)
class DraftFlag:
    """Whether there is anything to send: all that the Send button has to know."""

    filled: bool = False


@ft.observable
@dataclass(eq=False)
class FileChip:
    """A file in the composer. One for each, so that its progress draws nothing else."""

    name: str
    attachment: Attachment | None = None
    """None: it is being read, or could not be."""
    reading: bool = False
    done: int = 0
    """Pages read."""
    total: int = 0
    error: str = ""


@ft.observable
@dataclass(eq=False)
class Attaching:
    chips: tuple[FileChip, ...] = ()
    fixed: bool = False
    """They are of a message that is being edited, and stay."""


@ft.observable
@dataclass(eq=False)
class Completion:
    """The commands that a draft which begins with a slash may become."""

    entries: tuple[Command, ...] = ()
    chosen: int = 0


@ft.observable
@dataclass(eq=False)
class ConversationList:
    items: tuple[Conversation, ...] = ()
    """Those that are drawn: more when one scrolls."""
    more: bool = False
    snippets: dict[str, str] = field(default_factory=dict)
    """The last line of each conversation, for the phone's list."""
    tags: tuple[str, ...] = ()
    """All that are in use."""
    tag: str = ""
    """Only conversations with it are shown; empty: all."""
    archived: int = 0
    """How many there are."""
    in_archive: bool = False
    """The archive is shown in place of the list."""
    selecting: bool = False
    selected: frozenset[str] = frozenset()
    """Conversation ids, drawn or not."""


@dataclass(frozen=True)
class PaletteEntry:
    """Something that the palette found."""

    id: str
    """Of the conversation or message; of what can be done: its name."""
    group: str
    icon: ft.IconData | str
    name: Excerpt
    detail: Excerpt
    keys: str
    """Its keyboard shortcut."""
    action: Callable[[], object] = field(compare=False)


@ft.observable
@dataclass(eq=False)
class PaletteState:
    query: str = ""
    """What was looked for last."""
    entries: tuple[PaletteEntry, ...] = ()
    """Those of one group stand together."""
    chosen: int = 0


@ft.observable
@dataclass(eq=False)
class PaletteField:
    """What is typed into it renders nothing; `version` asks it to show `_text`."""

    version: int = 0
    _text: str = ""


@ft.observable
@dataclass(eq=False)
class ModelView:
    phase: str = "idle"
    name: str = ""
    """What the catalogue calls it; empty for a file that it does not know."""
    info: ModelInfo | None = None
    error: str = ""
    offer: TemplateOffer | None = None
    tiny: bool = False
    too_large: bool = False
    """It may be loaded anyway."""
    default: Path | None = None
    """The model of chats that have none of their own."""
    downloading: bool = False
    """A model is being downloaded: Munin is not offline just now."""


@ft.observable
@dataclass(eq=False)
class ProfileState:
    facts: tuple[Fact, ...] = ()
    candidates: tuple[Fact, ...] = ()
    history: tuple[Fact, ...] = ()
    quotes: dict[str, str] = field(default_factory=dict)
    """Fact id to the user's own words, for those under review."""
    opposed: dict[str, tuple[Fact, ...]] = field(default_factory=dict)
    """Fact id to the facts that cannot stay beside it, for those under review."""
    titles: dict[str, str] = field(default_factory=dict)
    """Conversation id to title, of every conversation that is not hidden."""
    owners: dict[str, str] = field(default_factory=lambda: {SHARED: _("Everyone")})
    """Scope to whom its facts belong: everyone, and the personas that have a memory of their own."""

    @property
    def name(self) -> str:
        """What the user is called, as everyone knows, or empty."""
        return next((fact.value for fact in self.facts if fact.attribute == "name" and fact.scope == SHARED), "")

    def owner(self, fact: Fact) -> str:
        return self.owners.get(fact.scope, _("A persona that is gone"))


@ft.observable
@dataclass(eq=False)
class MemoryPage:
    tab: MemoryTab = "facts"
    fact_query: str = ""
    fact_scope: str = ""
    """Only facts of this scope are shown; empty: of all."""
    memory_query: str = ""
    count: int = 0
    memories: tuple[Memory, ...] = ()
    found: tuple[SearchResult, ...] | None = None
    period: str = "any"
    """One of `format.periods`."""
    chat: str = ""
    """Only memories of this conversation are shown; empty: of all."""
    matching: int = 0
    """Memories of that period and chat, shown or not."""
    selecting: bool = False
    selected: frozenset[str] = frozenset()
    """Message ids."""
    arms: tuple[ArmStatus, ...] = ()
    conversations: int = 0
    messages: int = 0


@ft.observable
@dataclass(eq=False)
class PersonaForm:
    """A persona that is being made or changed. Typing changes what begins with an underscore only, and renders nothing."""

    id: str
    """Empty: a new one."""
    icon: str
    own_memory: bool
    used: bool
    """It has chats or facts, so that its memory stays as it is."""
    model: str = ""
    """Its path; empty: the default."""
    error: str = ""
    _name: str = ""
    _prompt: str = ""
    _temperature: str = ""
    _top_p: str = ""
    _starters: list[str] = field(default_factory=list)


@ft.observable
@dataclass(eq=False)
class PersonasPage:
    items: tuple[Persona, ...] = ()
    missing: tuple[Persona, ...] = ()
    """Shipped ones that the user deleted."""
    form: PersonaForm | None = None


@ft.observable
@dataclass(eq=False)
class DownloadView:
    """One for each download, so that its progress draws its card and nothing else."""

    download: Download


@ft.observable
@dataclass(eq=False)
class CopyView:
    """A file that is being copied into Munin's folder."""

    name: str
    progress: Progress


@ft.observable
@dataclass(eq=False)
class ModelsPage:
    entries: tuple[InstalledModel, ...] = ()
    offers: tuple[Offer, ...] = ()
    downloads: tuple[DownloadView, ...] = ()
    """Those that go on, wait, are paused or failed."""
    judgements: Mapping[str, Judgement] = field(default_factory=dict)
    """Model id to how well it would run here."""
    found: Found = field(default_factory=Found)
    """Models of other apps, or of a folder that the user named."""
    found_in: str = ""
    """The folder; empty: the other apps."""
    found_judgements: Mapping[str, Judgement] = field(default_factory=dict)
    copying: CopyView | None = None
    free_memory: int | None = None
    """Bytes, with the model in use unloaded. None: not known."""
    free_disk: int | None = None
    path: str = ""
    error: str = ""
    error_path: str = ""
    """The file that the error is about."""
    too_large: bool = False
    """It may be loaded anyway."""
    offer: TemplateOffer | None = None
    """What would mend the error."""
    loading: str = ""
    """The path of the file that is being loaded."""

    @property
    def busy(self) -> bool:
        return bool(self.loading)

    @property
    def taken_bytes(self) -> int:
        """On this disk: what only links lead to is not counted."""
        here = sum(entry.size_bytes for entry in self.entries if not entry.linked and entry.origin is not ModelOrigin.SETTINGS)
        return here + sum(offer.arrived_bytes for offer in self.offers)


@ft.observable
@dataclass(eq=False)
class SettingsState:
    """The page of settings: what is looked for, and where it is to be opened."""

    query: str = ""
    target: str = ""
    """The id of a row, which is marked, or of a group."""
    asked: int = 0
    """Another one: the view goes to the target."""
    version: int = 0
    """Another one: the field shows the query anew."""


@ft.observable
@dataclass(eq=False)
class SpeedPage:
    """How fast the models are here."""

    left_out: frozenset[str] = frozenset()
    """Ids of models that are not to be measured."""
    speeds: tuple[ModelSpeed, ...] = ()
    running: bool = False
    measuring: str = ""
    """Name of the model that is being measured; empty while the one in use comes back."""


@ft.observable
@dataclass(eq=False)
class ModelSheet:
    """The settings of one model, as they are typed. Typing changes `_typed` only and renders nothing."""

    name: str = ""
    hints: dict[str, tuple[str, str]] = field(default_factory=dict)
    """What holds where nothing is set, and the same with where it comes from, by key."""
    is_set: bool = False
    error: str = ""
    saving: bool = False
    version: int = 0
    """Another one: the fields show what they hold anew."""
    _typed: dict[str, str] = field(default_factory=dict)


@ft.observable
@dataclass(eq=False)
class EncodersPart:
    """Memory's encoder, on the Models page."""

    entries: tuple[InstalledEncoder, ...] = ()
    in_use: str = ""
    """An id; empty: there is none."""
    problem: str = ""
    """Why it does not work."""
    progress: VectorProgress = field(default_factory=lambda: VectorProgress(0, 0))
    switching: str = ""
    """The id of the one that is being loaded."""
    path: str = ""
    error: str = ""


@ft.observable
@dataclass(eq=False)
class DataPage:
    spaces: tuple[Space, ...] = ()
    busy: str = ""
    """What goes on; empty: nothing."""
    share: float = 0.0
    """How much of it is done, 0 to 1."""
    backup_error: str = ""
    restore_error: str = ""
    _target: str = ""
    _source: str = ""
    _passphrase: str = ""
    """For the backup that is written next; empty: it is not sealed."""


@ft.observable
@dataclass(eq=False)
class ImportPart:
    """Settings → Data → Bring chats from another app."""

    found: Preview | None = None
    chosen: frozenset[str] = frozenset()
    """Marks of the chats to be imported."""
    drawn: int = 0
    """So many of the chats are listed."""
    remember: bool = False
    facts: bool = False
    looking: bool = False
    importing: bool = False
    done: int = 0
    error: str = ""
    remembered: ImportsRemembered = field(default_factory=ImportsRemembered)
    _path: str = ""


@ft.observable
@dataclass(eq=False)
class DoorState:
    """One page of the process: the app, or the screen that asks for the passphrase."""

    unlock: Callable[[str], Awaitable[None]]
    session: "PageSession | None" = None
    """None: the screen asks, or says what is going on."""
    work: str = ""
    """What goes on; empty: nothing, the screen asks."""
    share: float = 0.0
    """How much of it is done, 0 to 1."""
    checking: bool = False
    error: str = ""
    tokens: Tokens = field(default_factory=lambda: tokens(False, True))


@ft.observable
@dataclass(eq=False)
class LockPart:
    """Of the Data page: whether this device's data is locked, and what opens it."""

    lock: Lock | None = None
    missing: str = ""
    """Why nothing can be locked here."""
    keyring: bool = False
    """The system has a keyring that could have the key."""


@dataclass(frozen=True)
class Snack:
    """A short message above the page's foot, with one action."""

    text: str
    action: str = ""
    on_action: Callable[[], object] | None = None


@ft.observable
@dataclass(eq=False)
class Navigation:
    settings: Settings
    view: ViewName = "chat"
    wide: bool = True
    panel: bool = True
    """The side panel of a wide page is shown."""
    system_dark: bool = False
    system_contrast: bool = False
    system_still: bool = False
    """The system asks for high contrast, for no motion."""
    sheet: str | None = None
    """The reply whose "What this reply used" is open."""
    model_sheet: str = ""
    """The path of the model whose settings are open."""
    sheets: int = 0
    """How many sheets have been shown so far."""
    notices: tuple[str, ...] = ()

    @property
    def dark(self) -> bool:
        theme = self.settings.theme
        return self.system_dark if theme == "system" else theme == "dark"

    @property
    def high_contrast(self) -> bool:
        contrast = self.settings.contrast
        return self.system_contrast if contrast == "system" else contrast == "high"

    @property
    def still(self) -> bool:
        motion = self.settings.motion
        return self.system_still if motion == "system" else motion == "reduced"


@ft.observable
@dataclass(eq=False)
class Overlay:
    """What lies over the page: a dialog, a snack."""

    dialog: DialogBuilder | None = None
    shown: int = 0
    """How many dialogs have been shown so far."""
    snack: Snack | None = None
