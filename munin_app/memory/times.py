"""Time expressions in English, German, Spanish and French, by rule: “two weeks ago”, “im März 2023”, “el 8 de mayo”.

Each becomes a window of local time, seen from the moment at which it was said. Knows nothing of memories.
"""

import re
import unicodedata
from calendar import monthrange
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

TEXT_CHARACTERS_MAX = 4_000
YEARS_BACK = 8
"""“In August” is the August of any of so many years."""
LATELY_DAYS = 14
_WINDOWS_MAX = 24
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Window:
    """From `start` up to, not including, `end`: Unix milliseconds."""

    start: int
    end: int


Span = tuple[datetime, datetime]

_MONTHS = """
    january januar enero janvier jan|february februar febrero fevrier feb|march marz maerz marzo mars
    april abril avril apr|may mai mayo|june juni junio juin jun|july juli julio juillet jul|august agosto aout aug
    september septiembre septembre sep|october oktober octubre octobre oct okt|november noviembre novembre nov
    december dezember diciembre decembre dec dez
"""
_WEEKDAYS = """
    monday montag lunes lundi|tuesday dienstag martes mardi|wednesday mittwoch miercoles mercredi
    thursday donnerstag jueves jeudi|friday freitag viernes vendredi|saturday samstag sabado samedi
    sunday sonntag domingo dimanche
"""
_NUMBERS = """
    one a ein eine einem einer einen un una une|two couple zwei dos deux|three drei tres trois|four vier cuatro quatre
    five funf cinco cinq|six sechs seis|seven sieben siete sept|eight acht ocho huit|nine neun nueve neuf|ten zehn diez dix
"""


_SEASONS = """
    spring fruhling fruhjahr primavera printemps|summer sommer verano ete|autumn fall herbst otono automne
    winter invierno hiver
"""


def _numbered(table: str) -> dict[str, int]:
    lines = re.split(r"[|\n]", table.strip())
    return {word: number for number, line in enumerate(lines, 1) for word in line.split()}


MONTHS, WEEKDAYS, NUMBERS = _numbered(_MONTHS), _numbered(_WEEKDAYS), _numbered(_NUMBERS)
SEASONS = _numbered(_SEASONS)
"""Spring, from March to May, is 1."""
UNITS = {
    "day": "day days tag tage tagen dia dias jour jours",
    "week": "week weeks woche wochen semana semanas semaine semaines",
    "month": "month months monat monate monaten mes meses mois",
    "year": "year years jahr jahre jahren ano anos an ans annee annees",
}
_UNIT_OF = {word: unit for unit, listed in UNITS.items() for word in listed.split()}


def _any(words: Iterable[str]) -> str:
    return "(?:" + "|".join(sorted(words, key=len, reverse=True)) + ")"


_MONTH = f"(?P<month>{_any(MONTHS)})\\.?"
_UNIT = f"(?P<unit>{_any(_UNIT_OF)})"
_COUNT = rf"(?P<count>\d{{1,3}}|{_any(NUMBERS)})(?: of)?"
_SEASON = f"(?P<season>{_any(SEASONS)})"
_WEEKEND = "(?P<weekend>weekend|wochenende|fin de semana|week-?end)"
_NAMED = f"(?:{_WEEKEND}|{_UNIT}|{_SEASON}|(?P<weekday>{_any(WEEKDAYS)})|(?P<named>{_any(MONTHS)}))"
_BEFORE = re.compile(r"\b(?:before|until|till|vor|bis|antes de|hasta|avant|jusqu'en|jusqu'au)(?: (?:the|dem|el|le))? $")
_SINCE = re.compile(r"\b(?:since|after|seit|nach|desde|despues de|depuis|apres)(?: (?:the|dem|el|le))? $")
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DAY_OF = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th|er|\.)?"


def windows(text: str, now_ms: int) -> tuple[Window, ...]:
    """The time expressions of a text that is said at `now_ms`, in the order of the rules below; none: empty."""
    now = datetime.fromtimestamp(now_ms / 1000)
    folded = _fold(text[:TEXT_CHARACTERS_MAX])
    found: list[Window] = []
    for pattern, read in _RULES:
        for match in pattern.finditer(folded):
            try:
                found += [_turned(_window(span), folded[: match.start()], now_ms) for span in read(match, now)]
            except (ValueError, OverflowError, OSError):  # 31 February, or a year that the platform's clock does not know
                continue
        folded = pattern.sub(" ; ", folded)  # what one rule has read, no other reads again
    return tuple(dict.fromkeys(found))[:_WINDOWS_MAX]


def until(moment: int) -> Window:
    """What came before that, as far back as times are looked for; Unix ms."""
    return Window(moment - YEARS_BACK * 366 * 86_400_000, moment)


def _turned(window: Window, before: str, now_ms: int) -> Window:
    """“Before March” and “since March” are windows that end or begin with it."""
    if _BEFORE.search(before):
        return until(window.start)
    return Window(window.start, max(now_ms, window.end)) if _SINCE.search(before) else window


def _fold(text: str) -> str:
    """Without accents; lower case, except that “May” and “March” stay apart from the verbs “may” and “march”."""
    text = re.sub(r"\bMay (?=I\b|we\b|you\b)", "may_ ", text)
    text = re.sub(r"(?<!in )(?<!last )(?<!since )\b(may|march)\b(?! \d)", r"\1_", text)
    plain = unicodedata.normalize("NFKD", text)
    return "".join(character for character in plain if not unicodedata.combining(character)).lower()


def _window(span: Span) -> Window:
    return Window(int(span[0].timestamp() * 1000), int(span[1].timestamp() * 1000))


def _day(year: int, month: int, day: int) -> Iterator[Span]:
    start = datetime(year, month, day)
    yield start, start + _DAY


def _month(year: int, month: int) -> Span:
    start = datetime(year, month, 1)
    return start, start + timedelta(days=monthrange(year, month)[1])


def _iso(match: re.Match[str], _: datetime) -> Iterator[Span]:
    yield from _day(int(match["year"]), int(match["m"]), int(match["d"]))


def _day_first(match: re.Match[str], _: datetime) -> Iterator[Span]:
    yield from _day(int(match["year"]), int(match["m"]), int(match["day"]))


def _date(match: re.Match[str], now: datetime) -> Iterator[Span]:
    """With a year; else of any recent one."""
    month, day = MONTHS[match["month"]], int(match["day"])
    for year in [int(match["year"])] if match["year"] else _recent(now):
        if day <= monthrange(year, month)[1]:
            yield from _day(year, month, day)


def _recent(now: datetime) -> list[int]:
    return [now.year - back for back in range(YEARS_BACK)]


def _named_month(match: re.Match[str], now: datetime) -> Iterator[Span]:
    for year in [int(match["year"])] if match["year"] else _recent(now):
        yield _month(year, MONTHS[match["month"]])


def _named_year(match: re.Match[str], _: datetime) -> Iterator[Span]:
    yield datetime(int(match["year"]), 1, 1), datetime(int(match["year"]) + 1, 1, 1)


def _ago(match: re.Match[str], now: datetime) -> Iterator[Span]:
    count = NUMBERS.get(match["count"]) or int(match["count"])
    yield _unit_around(now, _UNIT_OF[match["unit"]], -count)


def _last(match: re.Match[str], now: datetime) -> Iterator[Span]:
    if match["unit"]:
        yield _unit_around(now, _UNIT_OF[match["unit"]], -1)
    elif match["weekend"]:  # the latest that is over
        yield _days_from(now, -now.isoweekday() - 1, 2)
    elif match["season"]:
        yield next(span for span in _seasons(match["season"], now) if span[1] <= now)
    elif match["weekday"]:
        yield _weekday(match["weekday"], now)
    else:
        month = MONTHS[match["named"]]
        yield _month(now.year if month < now.month else now.year - 1, month)


def _this(match: re.Match[str], now: datetime) -> Iterator[Span]:
    if match["weekend"]:
        yield _days_from(now, 6 - now.isoweekday(), 2)
    elif match["season"]:  # of this year, gone or to come; in January the winter that has begun
        yield _season(now.year - (SEASONS[match["season"]] == 4 and now.month < 3), match["season"])
    else:
        yield _unit_around(now, _UNIT_OF[match["unit"]], 0)


def _seasons(name: str, now: datetime) -> Iterator[Span]:
    """Of the northern half of the earth, the latest first; winter belongs to the year it begins in."""
    for year in range(now.year, now.year - YEARS_BACK, -1):
        yield _season(year, name)


def _season(year: int, name: str) -> Span:
    first = 3 * SEASONS[name]
    return datetime(year, first, 1), datetime(year + (first == 12), (first + 2) % 12 + 1, 1)


def _named_season(match: re.Match[str], now: datetime) -> Iterator[Span]:
    if match["year"]:
        yield _season(int(match["year"]), match["season"])
    else:
        yield from _seasons(match["season"], now)


def _christmas(match: re.Match[str], now: datetime) -> Iterator[Span]:
    for year in [int(match["year"])] if match["year"] else _recent(now):
        yield datetime(year, 12, 24), datetime(year, 12, 27)


def _lately(_: re.Match[str], now: datetime) -> Iterator[Span]:
    yield _days_from(now, -LATELY_DAYS, LATELY_DAYS + 1)


def _bare_weekday(match: re.Match[str], now: datetime) -> Iterator[Span]:
    yield _weekday(match["weekday"], now)


def _weekday(name: str, now: datetime) -> Span:
    back = (now.isoweekday() - WEEKDAYS[name] - 1) % 7 + 1
    return _days_from(now, -back, 1)


def _days_from(now: datetime, offset: int, length: int) -> Span:
    start = datetime(now.year, now.month, now.day) + offset * _DAY
    return start, start + length * _DAY


def _unit_around(now: datetime, unit: str, offset: int) -> Span:
    """The calendar day, week (from Monday), month or year so many before or after the present one."""
    if unit == "day":
        return _days_from(now, offset, 1)
    if unit == "week":
        return _days_from(now, 7 * offset + 1 - now.isoweekday(), 7)
    if unit == "month":
        months = now.year * 12 + now.month - 1 + offset
        return _month(months // 12, months % 12 + 1)
    return datetime(now.year + offset, 1, 1), datetime(now.year + offset + 1, 1, 1)


def _fixed(offset: int) -> Callable[[re.Match[str], datetime], Iterator[Span]]:
    def read(_: re.Match[str], now: datetime) -> Iterator[Span]:
        yield _days_from(now, offset, 1)

    return read


_RULES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], datetime], Iterator[Span]]], ...] = tuple(
    (re.compile(rf"\b(?:{pattern})(?!\w)"), read)
    for pattern, read in (
        (rf"{_YEAR}-(?P<m>[01]\d)-(?P<d>[0-3]\d)", _iso),
        (rf"(?P<day>[0-3]?\d)[./](?P<m>[01]?\d)[./]{_YEAR}", _day_first),
        (rf"{_DAY_OF} (?:of |de |d')?{_MONTH}(?:,? (?:de |del )?{_YEAR})?", _date),
        (rf"{_MONTH} (?P<day>[0-3]?\d)(?:st|nd|rd|th)?(?:,? {_YEAR})?", _date),
        (rf"(?:last|past|letzte[nrsm]?|vorige[nrsm]?|vergangene[nrsm]?) {_NAMED}", _last),
        (rf"{_NAMED} (?:pasad[oa]|dernier|derniere)", _last),
        (rf"(?:this|diese[nrsm]?|est[ea]|cet?|cette) (?:{_WEEKEND}|{_UNIT}|{_SEASON})", _this),
        (rf"(?:in|im|en|au|over|during)(?: the| el| la)? {_SEASON}(?: (?:of |de |del )?{_YEAR})?", _named_season),
        (rf"{_SEASON} (?:of |de |del )?{_YEAR}", _named_season),
        (rf"(?:christmas|weihnachten|navidad|noel)(?: (?:of |de )?{_YEAR})?", _christmas),
        (r"the other day|neulich|el otro dia|l'autre jour", _lately),  # “recently” is said of longer times: R@5 fell by 0.002
        (rf"{_MONTH}(?:,? (?:of |de |del )?{_YEAR})?", _named_month),
        (rf"{_COUNT} {_UNIT} ago", _ago),
        (rf"(?:vor|hace|il y a) {_COUNT} {_UNIT}", _ago),
        (_YEAR, _named_year),
        (r"day before yesterday|vorgestern|anteayer|avant-hier", _fixed(-2)),
        (r"yesterday|last night|gestern|ayer|anoche|hier (?:soir|matin)|c'etait hier", _fixed(-1)),
        (r"today|tonight|this morning|heute|hoy|aujourd'hui", _fixed(0)),
        (rf"(?:on |am |el |le )(?P<weekday>{_any(WEEKDAYS)})", _bare_weekday),
    )
)
