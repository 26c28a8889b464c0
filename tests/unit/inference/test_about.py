"""What a file says of itself before it is loaded, as one short line each."""

from pathlib import Path

import pytest

from munin_app.errors import ModelError
from munin_app.inference.about import about_file
from tests.tiny_models import write_tiny_model
from tests.unit.inference.gguf_files import CONTROL, with_template, write_sentencepiece_vocabulary


def test_starter_model(model_path: Path) -> None:
    about = about_file(model_path)
    assert (about.architecture, about.quantisation, about.context_trained) == ("llama", "Q4_1", 8192)
    assert about.own_template and about.can_chat
    assert 130e6 < about.parameters < 170e6


def test_template_that_fits_is_named(model_path: Path, tmp_path: Path) -> None:
    about = about_file(with_template(model_path, tmp_path / "m.gguf", None))
    assert (about.own_template, about.fitting_template) == (False, "ChatML")


def test_words_of_a_template_that_are_no_tokens_do_not_count(tmp_path: Path) -> None:
    marks = ("[INST]", "[/INST] and more")
    path = write_sentencepiece_vocabulary(tmp_path / "m.gguf", [(mark, CONTROL) for mark in marks])
    assert about_file(path).fitting_template == ""
    path = write_sentencepiece_vocabulary(tmp_path / "n.gguf", [("[INST]", CONTROL), ("[/INST]", CONTROL)])
    assert about_file(path).fitting_template == "Mistral"


def test_hostile_texts_are_short_lines(tmp_path: Path) -> None:
    hostile = "evil\x1b[31m\n\u202e" + "x" * 10_000
    values = {"general__name": hostile, "general__license": hostile, "general__size_label": "9" * 5000}
    about = about_file(write_tiny_model(tmp_path / "m.gguf", "llama", **values))
    for text in (about.name, about.licence, about.size_label):
        assert text.isprintable() and len(text) <= 120
    assert about.name.startswith("evil [31m x")


def test_file_that_is_none_is_said(tmp_path: Path) -> None:
    (tmp_path / "m.gguf").write_text("Dear diary")
    with pytest.raises(ModelError, match="is no GGUF file"):
        about_file(tmp_path / "m.gguf")
