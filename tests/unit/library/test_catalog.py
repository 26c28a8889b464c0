from pathlib import Path

import pytest

from munin_app import paths
from munin_app.errors import ModelError
from munin_app.library.catalog import read_catalog


def changed(tmp_path: Path, old: str, new: str) -> Path:
    """The real catalogue with one thing changed."""
    text = paths.catalog_file().read_text(encoding="utf-8")
    assert old in text
    file = tmp_path / "catalog.toml"
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    return file


def test_the_shipped_catalogue_names_a_tiny_chat_model_and_an_encoder() -> None:
    catalog = read_catalog(paths.catalog_file())
    starter = catalog.chat_model("SmolLM2-135M-Instruct.Q4_1.gguf")
    assert starter is not None
    assert (starter.tiny, starter.licence, starter.id) == (True, "Apache-2.0", "SmolLM2-135M-Instruct.Q4_1")
    encoder = catalog.encoder[0]
    assert (encoder.dimension, encoder.pooling, encoder.threshold) == (384, "mean", 0.35)
    assert {file.file for file in encoder.files} == {"model.onnx", "tokenizer.json"}


def test_the_shipped_encoders_are_verified_and_say_what_was_not_measured() -> None:
    catalog = read_catalog(paths.catalog_file())
    for encoder in catalog.encoder[1:]:
        assert encoder.verified and encoder.good_for and encoder.licence
        assert encoder.threshold is None, "a bar is measured, not guessed"
    assert any(len(encoder.languages) > 20 for encoder in catalog.encoder)


def test_every_file_without_an_address_comes_from_a_pinned_starter_package() -> None:
    catalog = read_catalog(paths.catalog_file())
    pinned = (paths.program_folder() / "requirements" / "starter.txt").read_text(encoding="utf-8")
    files = [file for entry in catalog.entries for file in entry.files if not file.address]
    assert len(files) == 3
    assert all(f"{file.package}==" in pinned for file in files)


def test_unknown_file_has_no_entry() -> None:
    assert read_catalog(paths.catalog_file()).chat_model("other.gguf") is None


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("version = 1", "version = 2", "version 2"),
        ("tiny = true", "tinny = true", "damaged"),
        ("dimension = 384", "", "damaged"),
        ('pooling = "mean"', 'pooling = "guess"', "damaged"),
        ("[[chat]]", "[[chat", "damaged"),
    ],
)
def test_a_damaged_catalogue_is_refused_with_what_to_do(tmp_path: Path, old: str, new: str, said: str) -> None:
    with pytest.raises(ModelError, match=said) as caught:
        read_catalog(changed(tmp_path, old, new))
    assert "Install Munin again" in str(caught.value)


def test_a_missing_catalogue_is_said(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        read_catalog(tmp_path / "none.toml")
