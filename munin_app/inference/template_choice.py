"""Which chat template a model is talked to with: its own, or a known one that the user chose. Where neither works, what would."""

from pathlib import Path

from munin_app.errors import ChatTemplateError, ModelError
from munin_app.i18n import _
from munin_app.inference.gguf_header import GgufHeader
from munin_app.inference.known_templates import KNOWN_TEMPLATES, suggested_template
from munin_app.inference.llama import LlamaModel
from munin_app.inference.protocol import EngineSettings
from munin_app.inference.template import ChatTemplate


def require_template(settings: EngineSettings, header: GgufHeader) -> None:
    """Before the weights load, which takes long. Raises ModelError or ChatTemplateError."""
    if settings.template and settings.template not in KNOWN_TEMPLATES:
        known = ", ".join(KNOWN_TEMPLATES)
        raise ModelError(
            _('There is no chat template "{template}". Choose one of these: {known}.').format(
                template=settings.template, known=known
            )
        )
    if not settings.template and not header.has_chat_template:
        raise _with_offer(
            _("{name} has no chat template.").format(name=settings.path.name), settings.path, _suggested_for(settings.path)
        )


def template_of(model: LlamaModel, settings: EngineSettings) -> ChatTemplate:
    """Raises ModelError, or ChatTemplateError where a known template would do instead."""
    known = KNOWN_TEMPLATES.get(settings.template)
    try:
        return ChatTemplate(
            known.source if known else model.chat_template or "", _text(model, model.bos), _text(model, model.eos)
        )
    except ModelError as error:
        raise error if known else _with_offer(str(error), settings.path, _suggested(model)) from error


def _with_offer(problem: str, path: Path, suggested: str) -> ModelError:
    if suggested:
        name = KNOWN_TEMPLATES[suggested].name
        return ChatTemplateError(
            _(
                "{problem} Its vocabulary is made for {name}: press Use {name}, or in the terminal: munin models use "
                '"{path}" --template {suggested}. A base model will chat badly even so.'
            ).format(problem=problem, name=name, path=path, suggested=suggested),
            suggested,
        )
    return ModelError(
        _(
            "{problem} It is a base model, most likely: choose its instruct or chat version. To try a known "
            'template all the same: munin models use "{path}" --template NAME ({names}).'
        ).format(problem=problem, path=path, names=", ".join(KNOWN_TEMPLATES))
    )


def _suggested_for(path: Path) -> str:
    try:
        vocabulary = LlamaModel(path, vocabulary_only=True)
    except ModelError:
        return ""
    try:
        return _suggested(vocabulary)
    finally:
        vocabulary.close()


def _suggested(vocabulary: LlamaModel) -> str:
    return suggested_template(lambda mark: len(vocabulary.tokenise(mark, special=True)) == 1)


def _text(model: LlamaModel, token: int) -> str:
    return model.piece(token, special=True).decode("utf-8", "replace") if token >= 0 else ""
