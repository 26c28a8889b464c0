"""How quotes of attached files are named, in the window and the terminal alike."""

from collections.abc import Sequence

from munin_app.domain.events import UsedQuote
from munin_app.i18n import _, ngettext


def place(quote: UsedQuote) -> str:
    """Where it is from: "report.pdf, page 3"."""
    if quote.page:
        return _("{file}, page {page}").format(file=quote.name, page=quote.page)
    if quote.whole:
        return quote.name
    return _("{file}, from line {line}").format(file=quote.name, line=quote.line)


def quotes_label(quotes: Sequence[UsedQuote]) -> str:
    """Below a reply. Of several, the one that answers best. Empty without quotes."""
    if not quotes:
        return ""
    best = max(quotes, key=lambda quote: quote.similarity or 0.0)
    places = {(quote.content_id, quote.page, quote.line * (not quote.page)) for quote in quotes}
    more = len(places) - 1
    if not more:
        return _("From {place}").format(place=place(best))
    return ngettext("From {place} and {count} more place", "From {place} and {count} more places", more).format(
        place=place(best), count=more
    )
