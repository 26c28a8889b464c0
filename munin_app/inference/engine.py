"""Runs one request after the other on one loaded model: prompt, prefill, decode. Synchronous; lives on one thread.

Knows nothing of threads, queues or priorities: each request is a generator of small steps, and its caller decides when the
next step runs. Chat and utility work have a context each on the same weights, so that neither costs the other its cache.
"""

import secrets
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from pathlib import Path

from munin_app.domain.inference import (
    Cancelled,
    ChatRequest,
    Completed,
    ModelInfo,
    Purpose,
    Usage,
)
from munin_app.errors import ModelError
from munin_app.i18n import _
from munin_app.inference.advice import advice_of
from munin_app.inference.fitting import fitting_context, require_memory
from munin_app.inference.gguf_header import GgufHeader, read_header
from munin_app.inference.kv_cache import KvCache
from munin_app.inference.llama import LlamaModel, llama_cpp_version, supports_gpu
from munin_app.inference.machine import real_cores
from munin_app.inference.memory_estimate import UTILITY_CONTEXT, KvType, estimate_memory, usable_kv_type
from munin_app.inference.protocol import Control, EngineSettings, Step
from munin_app.inference.reply import ReplyFormat, ReplyReader
from munin_app.inference.resident import ResidentSession
from munin_app.inference.session_files import SessionFiles
from munin_app.inference.template_choice import require_template, template_of
from munin_app.inference.tokens import SessionTokens, TokenisedSegment, Tokeniser


class Engine:
    """Loads at construction. Raises ModelError with the file, the reason and the remedy."""

    def __init__(self, settings: EngineSettings, go_on: Callable[[], bool] = lambda: True) -> None:
        """`go_on` is asked while the weights load; False gives up."""
        header = read_header(settings.path)
        _require_chat_model(settings.path, header)
        require_template(settings, header)
        self._threads = settings.threads or real_cores()
        self._kv_type = usable_kv_type(header, settings.kv_type)
        size, squeezed = _fitting(header, settings, self._kv_type)
        self._loaded_at = time.time_ns() // 1_000_000
        self._model = LlamaModel(settings.path, go_on=go_on, gpu_layers=settings.gpu_layers)
        try:
            self._size = min(size, self._model.context_trained or size)
            self._template = template_of(self._model, settings)
            self._chat = self._new_cache(self._size)
        except BaseException:
            self._model.close()
            raise
        self._utility: KvCache | None = None
        self._format = ReplyFormat(self._model, self._template)
        self._tokeniser = Tokeniser(self._model)
        self._sessions = SessionTokens(self._tokeniser)
        self._resident = ResidentSession(self._chat, self._sessions, self._session_files(settings))
        self.resident_sessions: set[str] = set()
        """Whose state may still lie in the chat context's buffers."""
        self.info = replace(
            _info(settings.path, header, self._model.context_trained, self._chat),
            append_only=self._template.append_only,
            keeps_reasoning=self._template.keeps_reasoning,
            loaded_at=self._loaded_at,
            memory_bytes=estimate_memory(header, self._size, self._kv_type).total,
            squeezed=squeezed,
            threads=self._threads,
            gpu=supports_gpu(),
        )

    def run(self, request: ChatRequest, control: Control) -> Generator[Step, None, None]:
        """Deltas and Nones, then one Completed or Cancelled. Raises ModelError. To be run to its end or closed; requests on
        one context (REPLY and PREFILL, or UTILITY) one after the other, never interleaved."""
        cache = self._cache_for(request)
        with cache.in_use():
            yield from self._run(request, cache, control)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(self._tokeniser.content(text)) for text in texts]

    def forget_session(self, session_id: str) -> None:
        """Overwrites the KV buffers that may hold it; the next turn of every session is then evaluated anew, once. (Buffers
        keep old state after a switch of session, so a session stays resident until the next erasing.)"""
        self._sessions.forget(session_id)
        self._resident.forget(session_id)
        if session_id in self.resident_sessions:
            self._resident.save()  # the one that is there now comes back from disk
            self._chat.erase()
            self._resident.drop()
            self.resident_sessions.clear()
        if self._utility:
            self._utility.erase()

    def rest(self) -> None:
        """To be called when nothing was asked for some time: saves the conversation's state."""
        self._resident.save()

    def close(self) -> None:
        self._resident.close()
        for cache in (self._chat, self._utility):
            if cache:
                cache.context.close()
        self._model.close()

    def _run(self, request: ChatRequest, cache: KvCache, control: Control) -> Generator[Step, None, None]:
        if cache is self._chat:
            yield from self._resident.leave_for(request.session_id, request.keep, control.stop)
        segments = self._tokenised(request)
        prompt = self._prompt(segments)
        _require_room(len(prompt), cache.size)
        if request.purpose is Purpose.PREFILL and cache.begins_with(prompt):
            # a reply was quicker than this prefill: going back to the shorter prompt would cost the next turn that reply
            yield Completed("", Usage(reused=len(prompt), context_used=len(cache.tokens), context_size=cache.size))
            return
        started = time.monotonic()
        if cache is self._chat:
            yield from self._resident.take_in(request.session_id, request.keep, prompt, control.stop)
        count = yield from cache.prefill(prompt, control.stop, control.pause)
        usage = Usage(count.evaluated, count.reused, prefill_ms=_ms_since(started))
        usage = replace(usage, context_used=len(cache.tokens), context_size=cache.size)
        if control.stop():
            yield Cancelled("", usage)
        elif request.purpose is Purpose.PREFILL:
            yield Completed("", usage)
        else:
            yield from self._reply(request, cache, segments, usage, control)

    def _reply(
        self, request: ChatRequest, cache: KvCache, segments: list[TokenisedSegment], usage: Usage, control: Control
    ) -> Generator[Step, None, None]:
        sampler = self._model.new_sampler(request.sampling, _seed(request))
        reply = self._format.reader(goes_on=request.goes_on)
        if request.goes_on:
            sampler.accept(segments[-1].tokens)
        started = time.monotonic()
        truncated = False
        try:
            while not (cancelled := control.stop()) and not truncated and not reply.ended:
                token = sampler.sample(cache.context)
                if self._format.ends(token):
                    break
                yield from reply.feed(token) or (None,)
                length = reply.length(request.max_thought_tokens)
                truncated = length >= request.max_tokens or not cache.append(token)
        finally:
            sampler.close()
        cache.checkpoint()
        yield from reply.finish()
        used = len(cache.tokens)
        usage = replace(usage, generated=len(reply.tokens), decode_ms=_ms_since(started), context_used=used)
        if request.purpose is Purpose.REPLY and not self._keep_reply(request, segments, reply):
            usage = replace(usage, left_out=used - self._tokens_before_reply(request, segments))
        answer, reasoning = reply.parts.answer, reply.parts.reasoning
        yield Cancelled(answer, usage, reasoning) if cancelled else Completed(answer, usage, truncated, reasoning)

    def _keep_reply(self, request: ChatRequest, segments: list[TokenisedSegment], reply: ReplyReader) -> bool:
        """With the tokens that it was made of. False: the next prompt shows it otherwise, without its reasoning for one."""
        if request.goes_on:
            return self._keep_rest(request, segments, reply)
        past = self._template.reply(reply.parts.answer, reply.parts.reasoning)
        shown_whole = not reply.parts.thought or (past.thought and reply.parts.answer)
        if not shown_whole or reply.ended or self._template.empty_thought:
            return False
        before, opening = (segments[:-1], segments[-1].tokens) if self._template.opened else (segments, ())
        self._sessions.keep(request.session_id, [*before, TokenisedSegment(past, (*opening, *reply.tokens))])
        return True

    def _keep_rest(self, request: ChatRequest, segments: list[TokenisedSegment], reply: ReplyReader) -> bool:
        """Behind the tokens of its beginning."""
        if reply.ended:
            return False
        begun = request.messages[-1]
        whole = self._template.reply(begun.text + reply.parts.answer, begun.reasoning)
        self._sessions.keep(request.session_id, [*segments[:-1], TokenisedSegment(whole, (*segments[-1].tokens, *reply.tokens))])
        return True

    def _tokens_before_reply(self, request: ChatRequest, segments: list[TokenisedSegment]) -> int:
        if request.goes_on:
            return len(self._prompt(segments[:-1]))
        opened = len(segments[-1].tokens) if self._template.opened else 0
        return len(self._prompt(segments)) - opened

    def _prompt(self, segments: Sequence[TokenisedSegment]) -> list[int]:
        return self._tokeniser.with_bos([token for segment in segments for token in segment.tokens])

    def _tokenised(self, request: ChatRequest) -> list[TokenisedSegment]:
        started_at = request.started_at or self._loaded_at
        if request.purpose is Purpose.UTILITY:
            return self._sessions.tokenise("", self._template.segments(request.messages, started_at))
        build = self._template.segments
        if request.goes_on:
            build = self._template.segments_to_go_on
        elif request.purpose is Purpose.PREFILL:
            build = self._template.opening_segments
        segments = self._sessions.tokenise(request.session_id, build(request.messages, started_at))
        self._sessions.keep(request.session_id, segments)
        self.resident_sessions.add(request.session_id)
        return segments

    def _cache_for(self, request: ChatRequest) -> KvCache:
        if request.purpose is not Purpose.UTILITY:
            return self._chat
        if self._utility is None:
            self._utility = self._new_cache(min(UTILITY_CONTEXT, self._size))
        return self._utility

    def _session_files(self, settings: EngineSettings) -> SessionFiles | None:
        if settings.sessions_folder is None:
            return None
        file = settings.path.stat()
        key = (llama_cpp_version, file.st_size, file.st_mtime_ns, *self._chat.context.settings)
        return SessionFiles(settings.sessions_folder, repr(key), settings.sessions_limit, settings.sessions_key)

    def _new_cache(self, size: int) -> KvCache:
        return KvCache(self._model.new_context(size, self._threads, self._kv_type), size)


def _require_chat_model(path: Path, header: GgufHeader) -> None:
    if header.kind != "model":
        raise ModelError(
            _("{path} is a GGUF file of kind {kind}, not a model that can chat. Choose a chat model.").format(
                path=path, kind=header.kind
            )
        )
    if header.is_encoder and not header.has_chat_template:
        raise ModelError(
            _(
                "{path} is an embedding model: it turns texts into vectors and cannot hold a conversation. Choose a chat model."
            ).format(path=path)
        )


def _fitting(header: GgufHeader, settings: EngineSettings, kv_type: KvType) -> tuple[int, bool]:
    """The context's size, and whether it was chosen smaller for want of memory. Raises ModelTooLarge before anything loads."""
    # a graphics processor has memory of its own, of which nobody tells us
    unknown = settings.gpu_layers != 0 and supports_gpu()
    free = None if unknown else settings.free_memory()
    size, squeezed = settings.context_size, False
    if not size:
        size, squeezed = fitting_context(header, kv_type, free, settings.sessions_limit)
    if not settings.load_anyway:
        require_memory(header, min(size, header.context_trained or size), kv_type, free)
    return size, squeezed


def _require_room(prompt: int, context: int) -> None:
    if prompt == 0:
        raise ModelError(_("The prompt is empty. Write a message first."))
    if prompt >= context:
        raise ModelError(
            _(
                "The prompt has {prompt} tokens, but the context holds {context}. Shorten the message, start a new "
                "conversation, or set a larger context."
            ).format(prompt=prompt, context=context)
        )


def _info(path: Path, header: GgufHeader, trained: int, cache: KvCache) -> ModelInfo:
    return ModelInfo(
        id=path.stem,
        name=header.name,
        path=path,
        size_bytes=header.size_bytes,
        architecture=header.architecture,
        quantisation=header.quantisation,
        context_trained=header.context_trained or trained,
        context_size=cache.size,
        cuts_freely=cache.context.cuts_freely,
        advice=advice_of(header),
    )


def _seed(request: ChatRequest) -> int:
    return secrets.randbits(32) if request.sampling.seed is None else request.sampling.seed & 0xFFFFFFFF


def _ms_since(started: float) -> float:
    return (time.monotonic() - started) * 1000
