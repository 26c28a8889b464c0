"""The app over a scripted, slow model: for what a real model would not do on command. Run as a script; prints its address.
Its replies are those that it is given, or a long one and a short one."""

import asyncio
import sys
from collections.abc import AsyncIterator

from munin_app.bootstrap import Munin
from munin_app.domain.inference import ChatRequest, ModelEvent, TextDelta
from munin_app.inference.scripted import ScriptedChatModel
from munin_app.ui.gate import Gate
from munin_app.ui.server import serve

WORD_SECONDS = 0.1
CODE = "```python\nprint('" + "long " * 60 + "')\n```"
REPLY = f"![spy](https://pictures.example/spy.png) begins.\n\n{CODE}\n\n" + "\n\n".join(
    f"Paragraph {n} of many." for n in range(60)
)


class SlowModel(ScriptedChatModel):
    async def stream(self, request: ChatRequest) -> AsyncIterator[ModelEvent]:  # type: ignore[override]
        async for event in super().stream(request):
            if isinstance(event, TextDelta):
                await asyncio.sleep(WORD_SECONDS)
            yield event


async def main() -> None:
    gate = Gate(lambda: Munin.start(make_model=lambda path, size: SlowModel(sys.argv[1:] or [REPLY, "Short."])))
    try:
        await gate.open()
        await serve(gate.main, 0, lambda address: print(f"Munin is at {address}", flush=True))
    finally:
        await gate.close()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
