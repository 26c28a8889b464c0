"""The first proposal for a conversation's title: the beginning of what the user said. No model is asked."""

TITLE_CHARACTERS = 48


def proposed_title(text: str) -> str:
    """One line of at most 48 characters, cut at a word."""
    line = " ".join(text.split())
    if len(line) <= TITLE_CHARACTERS:
        return line.rstrip(".!?,;: ") or line
    head = line[:TITLE_CHARACTERS]
    return (head.rpartition(" ")[0] or head).rstrip(".!?,;: ") + " …"
