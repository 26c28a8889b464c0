"""`munin models settings`: what is set for one model, shown and changed in the terminal."""

import argparse
import asyncio
from contextlib import suppress
from dataclasses import replace

from munin_app.chat.sampling import NAMES, sampled
from munin_app.cli.output import printable
from munin_app.cli.started import started
from munin_app.config import UNSET
from munin_app.domain.inference import SamplingAdvice
from munin_app.errors import MuninError
from munin_app.i18n import N_, _, translated
from munin_app.inference.advice import advice_of
from munin_app.inference.gguf_header import read_header

NUMBERS = {
    "temperature": (float, N_("0 is always the likeliest word")),
    "top_p": (float, N_("the likeliest words that together make up this share")),
    "top_k": (int, N_("at most so many words; 0: all")),
    "min_p": (float, N_("words at least this likely, beside the likeliest; 0: all")),
    "repeat_penalty": (float, N_("1: none")),
    "context_tokens": (int, N_("0: what fits")),
    "max_reply_tokens": (int, N_("the longest that a reply may be")),
    "max_thought_tokens": (int, N_("the longest that it may think before")),
}


def add_settings_parser(actions: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = actions.add_parser("settings", help=_("show or change what is set for one model"))
    command.add_argument("id", help=_("as `munin models list` shows it"))
    for name, (kind, help_) in NUMBERS.items():
        command.add_argument(f"--{name.replace('_', '-')}", type=kind, metavar="N", help=translated(help_))
    command.add_argument("--instructions", metavar="TEXT", help=_("told to it in chats that begin from now on; empty: nothing"))
    command.add_argument("--reset", action="store_true", help=_("first back to the model's own"))
    command.set_defaults(run=run)


async def run(options: argparse.Namespace) -> int:
    async with started() as munin:
        model = await munin.library.find(options.id, munin.settings.model_path)
        before = munin.settings.set_for(model.path)
        asked = {name: getattr(options, name) for name in (*NUMBERS, "instructions") if getattr(options, name) is not None}
        own = replace(UNSET if options.reset else before, **asked)
        if own != before:
            await munin.switch.set_for_model(model.path, own)
        settings, advice = munin.settings, SamplingAdvice()
    with suppress(MuninError):  # a file that cannot be read recommends nothing
        advice = advice_of(await asyncio.to_thread(read_header, model.path))
    for name in NAMES:
        found = sampled(name, settings, own, advice)
        print(f"{name}  {found.value:g}  ({translated(found.source)})")
    effective = settings.for_model(model.path)
    for name in ("context_tokens", "max_reply_tokens", "max_thought_tokens"):
        value = getattr(effective, name)
        shown = "auto" if name == "context_tokens" and not value else value
        source = _("as for every model") if getattr(own, name) is None else _("set by you")
        print(f"{name}  {shown}  ({source})")
    if own.instructions:
        print(f"instructions  {printable(own.instructions)}")
    return 0
