"""One conversation as a page: complete in itself, without scripts, loading nothing, light or dark, made to be printed.

What people wrote stands as it is, escaped; of Markdown only blocks of code are set apart. Reads nothing and writes nothing.
"""

import html
import re
from collections.abc import Sequence
from datetime import datetime

from munin_app.chat.export import NOTHING_ATTACHED, Attached
from munin_app.chat.tree import Tree
from munin_app.domain.attachments import Attachment
from munin_app.domain.messages import Conversation, Message, MessageStatus, Role
from munin_app.i18n import _, language, ngettext, right_to_left

_FENCED = re.compile(r"^ {0,3}(`{3,}|~{3,})[^\n]*\n(.*?)(?:\n {0,3}\1[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_STYLE = """
:root { color-scheme: light dark;
  --page: #f6f8f7; --card: #ffffff; --ink: #16201f; --quiet: #55625f; --line: #d5dedb; --own: #e3efec }
@media (prefers-color-scheme: dark) {
  :root { --page: #10181a; --card: #182124; --ink: #e6edeb; --quiet: #9aa8a5; --line: #2a3739; --own: #1c2f30 } }
* { box-sizing: border-box }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.55 system-ui, sans-serif }
main { max-width: 46rem; margin: 0 auto; padding: 2rem 1rem 4rem }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .25rem; overflow-wrap: anywhere }
header p, h2, aside, summary { color: var(--quiet); font-size: .875rem }
article { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: .75rem 1rem; margin: 1rem 0 }
article.own { background: var(--own) }
h2 { margin: 0 0 .25rem; font-weight: 600 }
h2 time { font-weight: 400 }
p { margin: .5rem 0; white-space: pre-wrap; overflow-wrap: anywhere }
pre { margin: .5rem 0; padding: .75rem; border: 1px solid var(--line); border-radius: .5rem; overflow-x: auto }
pre, code { font-size: .875rem; font-family: ui-monospace, monospace }
aside { margin-top: .5rem }
details { margin: .5rem 0; border-inline-start: 2px solid var(--line); padding-inline-start: .75rem }
@media print {
  :root { color-scheme: light; --page: #fff; --card: #fff; --ink: #000; --quiet: #444; --line: #bbb; --own: #f2f2f2 }
  @page { margin: 18mm }
  body { font-size: 10.5pt } main { max-width: none; padding: 0 }
  pre { white-space: pre-wrap; overflow-wrap: anywhere } h2 { break-after: avoid } p { orphans: 3; widows: 3 } }
"""


def as_html(
    conversation: Conversation, path: Sequence[Message], tree: Tree, persona: str, attached: Attached = NOTHING_ATTACHED
) -> str:
    """The shown path; where there are other versions of a message, how many."""
    title = html.escape(" ".join(conversation.title.split()))
    messages = "\n".join(_message(message, tree, persona, attached.get(message.id, ())) for message in path)
    with_whom = _("{day}, with {persona}").format(day=_day(conversation.created_at), persona=persona)
    return f"""<!DOCTYPE html>
<html lang="{html.escape(language())}" dir="{"rtl" if right_to_left() else "ltr"}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{_STYLE}</style>
</head>
<body>
<main>
<header>
<h1 dir="auto">{title}</h1>
<p>{html.escape(with_whom)}</p>
</header>
{messages}
</main>
</body>
</html>
"""


def _message(message: Message, tree: Tree, persona: str, files: Sequence[tuple[Attachment, str]]) -> str:
    own = message.role is Role.USER
    who = html.escape(_("You") if own else persona)
    lines = [f'<article class="{"own" if own else "reply"}">', f"<h2>{who} <time>{_minute(message.created_at)}</time></h2>"]
    if message.reasoning:
        lines.append(f"<details><summary>{_('Thought')}</summary>{_text(message.reasoning)}</details>")
    lines.append(_text(message.text))
    for file, text in files:
        name = html.escape(_("Attached: {name}").format(name=file.name))
        lines.append(f"<details><summary>{name}</summary><pre>{html.escape(text)}</pre></details>")
    lines += [f"<aside>{html.escape(note)}</aside>" for note in _notes(message, tree)]
    return "\n".join([*lines, "</article>"])


def _notes(message: Message, tree: Tree) -> list[str]:
    versions = tree.siblings(message.id)
    notes = []
    if len(versions) > 1:
        place = versions.index(message.id) + 1
        sentence = ngettext("Version {place} of {n}.", "Version {place} of {n}.", len(versions))
        notes.append(sentence.format(place=place, n=len(versions)))
    ended = {MessageStatus.STOPPED: _("Stopped."), MessageStatus.FAILED: _("Unfinished.")}.get(message.status)
    return [*notes, ended] if ended else notes


def _text(text: str) -> str:
    """Paragraphs as they were typed, and blocks of code."""
    parts, at = [], 0
    for block in _FENCED.finditer(text):
        parts += [_paragraph(text[at : block.start()]), f"<pre><code>{html.escape(block[2])}</code></pre>"]
        at = block.end()
    return "".join([*parts, _paragraph(text[at:])])


def _paragraph(text: str) -> str:
    return f'<p dir="auto">{html.escape(text.strip())}</p>' if text.strip() else ""


def _day(milliseconds: int) -> str:
    return f"{datetime.fromtimestamp(milliseconds / 1000):%Y-%m-%d}"


def _minute(milliseconds: int) -> str:
    return f"{datetime.fromtimestamp(milliseconds / 1000):%Y-%m-%d %H:%M}"
