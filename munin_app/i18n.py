"""Sentences in the user's language: gettext. The msgid is the English sentence, `locale/` holds the others.

Translated is what a person reads: the window, the terminal, errors. Never what a model reads, what is logged, or what JSON holds.

- `_("{name} is in use.").format(name=name)`: placeholders have names and are filled in afterwards; no f-string inside.
- A sentence is translated where it is used, never while a module is imported (a constant, a default value): it would keep the
  language of that moment. `tests/unit/test_i18n.py` finds such calls. A constant is marked, `GONE = N_("It is gone.")`, and
  translated later, `translated(GONE)`.
- `make translations` brings the catalogues in step with the source.
"""

import gettext
import os
import sys
import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from babel import Locale

LANGUAGES = {"en": "English", "de": "Deutsch"}
"""What Munin speaks, each by its own name."""
SYSTEM = "system"
FOLDER = Path(__file__).parent / "locale"
_RIGHT_TO_LEFT = {"ar", "fa", "he", "ur"}
_WORLD_ENGLISH = "en_001"
"""Where the country is not known: day before month, as everywhere but in one."""


@dataclass(frozen=True, slots=True)
class _Speech:
    language: str
    """Of the sentences."""
    locale: str
    """Of dates and numbers, "de_AT": the country is the system's."""
    sentences: gettext.NullTranslations


_speech: _Speech | None = None  # one for the process; read and replaced as a whole, so any thread may


def use_language(choice: str = SYSTEM) -> None:
    """From now on: "system" or one of LANGUAGES. MUNIN_LANGUAGE outranks it, and may name a language without sentences:
    that is how right-to-left is tried out."""
    global _speech
    system = system_locales()
    spoken = [name for name in system if _language_of(name) in LANGUAGES]
    wished = os.environ.get("MUNIN_LANGUAGE") or (choice if choice != SYSTEM else next(iter(spoken), "en"))
    language = _language_of(wished)
    countries = [name for name in (wished, *system) if _language_of(name) == language != name]
    locale = next(iter(countries), language)
    catalogue = gettext.translation("munin", FOLDER, [language], fallback=True)
    _speech = _Speech(language, _WORLD_ENGLISH if locale == "en" else locale, catalogue)


def system_locales() -> list[str]:
    """As the system's settings name them, the most wanted first: "de_AT", "en". May be empty."""
    variables = (os.environ.get(name, "") for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"))
    names = [name.partition(".")[0].partition("@")[0] for value in variables for name in value.split(":")]
    return [name for name in names if name not in ("", "C", "POSIX")] or _windows_locales()


def _windows_locales() -> list[str]:
    if sys.platform == "win32":
        import ctypes
        from locale import windows_locale

        name = windows_locale.get(ctypes.windll.kernel32.GetUserDefaultUILanguage())
        return [name] if name else []
    return []


def _language_of(locale: str) -> str:
    return locale.replace("-", "_").partition("_")[0].lower()


def _spoken() -> _Speech:
    if _speech is None:
        use_language()
    assert _speech is not None
    return _speech


def language() -> str:
    return _spoken().language


def right_to_left() -> bool:
    return language() in _RIGHT_TO_LEFT


def begins_on_the_right(text: str) -> bool:
    """By its first letter, as Unicode has it for a paragraph."""
    kinds = (unicodedata.bidirectional(character) for character in text)
    return next((kind != "L" for kind in kinds if kind in ("L", "R", "AL")), False)


def locale() -> "Locale":
    """For Babel's dates and numbers."""
    return _parsed(_spoken().locale)


@cache
def _parsed(name: str) -> "Locale":
    from babel import Locale, UnknownLocaleError  # not in the model's process, which writes neither

    try:
        return Locale.parse(name.replace("-", "_"))
    except (UnknownLocaleError, ValueError):
        return Locale.parse(_WORLD_ENGLISH)


def decimal(number: float, digits: int = 0) -> str:
    """ "4,096"; "4.096" in German. `digits`: after the point."""
    from babel.numbers import format_decimal

    return format_decimal(number, f"#,##0.{'0' * digits}" if digits else "#,##0", locale=locale())


def _(message: str) -> str:
    return _spoken().sentences.gettext(message)


def N_(message: str) -> str:
    """Marks a sentence for the catalogue, and gives it back in English: for `translated`, later."""
    return message


def translated(message: str) -> str:
    """Of a sentence that was marked with `N_`."""
    return _spoken().sentences.gettext(message) if message else ""


def ngettext(one: str, many: str, number: int) -> str:
    """`ngettext("{n} fact", "{n} facts", n).format(n=n)`."""
    return _spoken().sentences.ngettext(one, many, number)


def pgettext(context: str, message: str) -> str:
    """For a word that English uses for two things: `pgettext("theme", "Light")`."""
    return _spoken().sentences.pgettext(context, message)
