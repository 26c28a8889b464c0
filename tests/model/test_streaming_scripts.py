"""Emoji sequences and scripts of the world, one byte a token, from the real engine to the state of an open page: at no step is
half a character shown. What a character is was written down by hand here."""

from functools import partial
from itertools import accumulate
from pathlib import Path

import pytest

from munin_app.bootstrap import Munin
from munin_app.config import Settings
from munin_app.domain.events import ReplyDelta
from munin_app.domain.messages import MessageStatus
from munin_app.inference.host import LlamaChatModel
from munin_app.inference.links import Link, ThreadLink
from munin_app.inference.process_link import ProcessLink
from munin_app.inference.protocol import EngineSettings
from munin_app.ui.pump import Burst
from tests.model.inference.forced import ForcedReplies
from tests.ui.harness import OpenPage

pytestmark = pytest.mark.model

CHARACTERS = (
    *("👨‍👩‍👧‍👦", "👩🏽‍🚀", "❤️‍🔥", "🇳🇴", "🇯🇵", "👍🏿", "1️⃣", "🏴󠁧󠁢󠁷󠁬󠁳󠁿", " "),
    *("हि", "न्दी", " ", "क्षि", "श्री", " "),
    *("한", "글", " ", "한", "글", " "),
    *("你", "好", "，", "日", "本", "が", "が", " "),
    *("é", "q̣̇", "مَ", "ไ", "ท", "ย", "\n", "!"),
)
REPLY = "".join(CHARACTERS)
THOUGHT = "<think>\n🇳🇴?</think>\n\n"


@pytest.mark.parametrize("start_link", [ThreadLink, ProcessLink], ids=["thread", "process"])
async def test_no_half_character_is_ever_shown(model_path: Path, start_link: type[ThreadLink] | type[ProcessLink]) -> None:
    def make(path: Path, settings: Settings) -> LlamaChatModel:
        forced = ForcedReplies(EngineSettings(path, 512, threads=1), (THOUGHT + REPLY,), bytewise=True)
        return LlamaChatModel(path, start_link=partial(_start, start_link, forced))

    shown: list[tuple[str, str]] = []
    async with await Munin.start(make_model=make) as munin, OpenPage(munin) as page:
        page.session.pump._interval = 0
        apply = page.session.chat.apply

        def watched(event: object) -> None:
            apply(event)
            if isinstance(event, Burst):
                reply = page.session.chat.state.messages[-1]
                shown.append((reply.reasoning, reply.text))

        page.session.chat.apply = watched  # type: ignore[method-assign]
        deltas: list[str] = []
        munin.subscribe(lambda event: deltas.append(event.text) if isinstance(event, ReplyDelta) else None)
        await munin.load_model()
        await page.say("Hello")
        await page.until(lambda: shown and not page.session.chat.state.busy, seconds=300)
        reply = page.session.chat.state.messages[-1]
        assert (reply.status, reply.reasoning, reply.text) == (MessageStatus.COMPLETED, "🇳🇴?", REPLY)

    whole = {"", *accumulate(CHARACTERS)}
    assert {text for _, text in shown} <= whole
    assert {thought for thought, _ in shown} <= {"", "🇳🇴", "🇳🇴?"}
    assert {"".join(deltas[:count]) for count in range(len(deltas))} <= whole
    assert len(deltas) > 30, "it did not stream"
    assert "\ufffd" not in "".join(deltas)


def _start(start_link: type[ThreadLink] | type[ProcessLink], forced: ForcedReplies, _factory: object, emit: object) -> Link:
    return start_link(forced, emit)  # type: ignore[arg-type]
