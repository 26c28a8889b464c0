"""Where things live. Functions, never module constants: MUNIN_HOME may change between two calls (tests do it)."""

import os
import tempfile
from pathlib import Path

import platformdirs

from munin_app.errors import DataFolderError
from munin_app.i18n import _


def data_folder() -> Path:
    """MUNIN_HOME, else the folder that Flet gives on phones, else the platform's data folder."""
    on_a_phone = os.environ.get("FLET_PLATFORM") in ("android", "ios")  # elsewhere app and terminal share one folder
    override = os.environ.get("MUNIN_HOME") or (on_a_phone and os.environ.get("FLET_APP_STORAGE_DATA"))
    return Path(override).expanduser().resolve() if override else Path(platformdirs.user_data_path("Munin", appauthor=False))


def ensure_data_folder() -> Path:
    """The data folder, made if need be and proven writable. Raises DataFolderError."""
    folder = data_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise DataFolderError(
            _(
                "Munin cannot write to its data folder {folder} ({strerror}). Make it writable, or set MUNIN_HOME to "
                "a folder that is."
            ).format(folder=folder, strerror=error.strerror)
        ) from error
    return folder


def chats_database() -> Path:
    return data_folder() / "munin.db"


def memory_database() -> Path:
    return data_folder() / "munin_memory.db"


def profile_file() -> Path:
    return data_folder() / "profile.json"


def settings_file() -> Path:
    return data_folder() / "settings.json"


def sessions_folder() -> Path:
    return data_folder() / "sessions"


def logs_folder() -> Path:
    return data_folder() / "logs"


def lock_file() -> Path:
    return data_folder() / "munin.lock"


def user_models_folder() -> Path:
    """Weights that the user added."""
    return data_folder() / "models"


def program_folder() -> Path:
    """The folder that holds assets/ and models/: munin_app/ in a wheel, else the one that it lies in."""
    package = Path(__file__).resolve().parent
    return package if (package / "models").is_dir() else package.parent


def catalog_file() -> Path:
    return program_folder() / "models" / "catalog.toml"


def starter_requirements() -> Path:
    """The pins of the packages that carry the starter models."""
    return program_folder() / "requirements" / "starter.txt"


def user_catalog_file() -> Path:
    """Models that the user wants offered beside Munin's own list; usually there is none."""
    return data_folder() / "catalog.toml"


def starter_models_folder() -> Path:
    """Weights that came with the program; filled by set-up and by packaging."""
    return program_folder() / "models" / "starter"


def assets_folder() -> Path:
    return program_folder() / "assets"
