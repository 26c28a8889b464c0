"""Where other apps keep their GGUF files. Functions, as in `paths`: the environment may change between two calls.

Folders of every platform are named; those that are not there cost one look. MUNIN_USER_HOME stands for the user's home folder
(tests set it); the apps' own variables count as they do there.
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

_SETTINGS_MAX_BYTES = 1_000_000

Layout = Literal["plain", "ollama", "hub"]
"""GGUF files under their own names at any depth; manifests that name blobs; snapshots of repositories that link to blobs."""


@dataclass(frozen=True, slots=True)
class AppFolder:
    app: str
    """As people call it."""
    path: Path
    layout: Layout = "plain"


def app_folders() -> list[AppFolder]:
    """Those that there may be, there or not."""
    home = user_home()
    if home is None:
        return []
    return [
        *(AppFolder("Ollama", path, "ollama") for path in ollama_folders(home)),
        *(AppFolder("LM Studio", path) for path in lm_studio_folders(home)),
        *(AppFolder("Jan", path) for path in jan_folders(home)),
        *(AppFolder("GPT4All", path) for path in gpt4all_folders(home)),
        *(AppFolder("llama.cpp", path) for path in llama_cpp_folders(home)),
        *(AppFolder("Hugging Face", path, "hub") for path in hub_folders(home)),
    ]


def user_home() -> Path | None:
    """None: this platform knows none."""
    if override := os.environ.get("MUNIN_USER_HOME"):
        return Path(override)
    try:
        return Path.home()
    except RuntimeError:
        return None


def ollama_folders(home: Path) -> list[Path]:
    """Each holds manifests/ and blobs/. As a service on Linux, Ollama has a home of its own."""
    if own := os.environ.get("OLLAMA_MODELS"):
        return [Path(own).expanduser()]
    folders = [home / ".ollama" / "models"]
    if not os.environ.get("MUNIN_USER_HOME"):
        folders += [Path("/usr/share/ollama/.ollama/models"), Path("/var/snap/ollama/common/models")]
    return folders


def lm_studio_folders(home: Path) -> list[Path]:
    """PUBLISHER/MODEL/FILE.gguf. Its home may have moved, and its models may lie elsewhere again."""
    homes = [home / ".lmstudio", home / ".cache" / "lm-studio"]
    if moved := _text(home / ".lmstudio-home-pointer").strip():
        homes.insert(0, Path(moved))
    chosen = [_downloads_folder(_text(folder / "settings.json")) for folder in homes]
    return [*(Path(path) for path in chosen if path), *(folder / "models" for folder in homes)]


def jan_folders(home: Path) -> list[Path]:
    """MODEL/model.gguf, the older ones MODEL/FILE.gguf."""
    data = [
        home / ".local" / "share" / "Jan" / "data",
        home / ".config" / "Jan" / "data",
        home / "Library" / "Application Support" / "Jan" / "data",
        home / "AppData" / "Roaming" / "Jan" / "data",
        home / "jan",
    ]
    return [folder / models for folder in data for models in (Path("llamacpp", "models"), Path("models"))]


def gpt4all_folders(home: Path) -> list[Path]:
    places = (Path(".local", "share"), Path("Library", "Application Support"), Path("AppData", "Local"))
    return [home / place / "nomic.ai" / "GPT4All" for place in places]


def llama_cpp_folders(home: Path) -> list[Path]:
    if own := os.environ.get("LLAMA_CACHE"):
        return [Path(own).expanduser()]
    cache = os.environ.get("XDG_CACHE_HOME")
    places = [Path(cache)] if cache else [home / ".cache"]
    places += [home / "Library" / "Caches", home / "AppData" / "Local"]
    return [place / "llama.cpp" for place in places]


def hub_folders(home: Path) -> list[Path]:
    if own := os.environ.get("HF_HUB_CACHE"):
        return [Path(own).expanduser()]
    if own := os.environ.get("HF_HOME"):
        return [Path(own).expanduser() / "hub"]
    cache = os.environ.get("XDG_CACHE_HOME")
    return [(Path(cache) if cache else home / ".cache") / "huggingface" / "hub"]


def _downloads_folder(settings: str) -> str:
    """Empty where the settings cannot be read or name none."""
    try:
        found = json.loads(settings)
    except (ValueError, RecursionError):
        return ""
    chosen = found.get("downloadsFolder") if isinstance(found, dict) else None
    return chosen if isinstance(chosen, str) and os.path.isabs(chosen) else ""


def _text(path: Path) -> str:
    """Empty where it cannot be read, or is no plain file."""
    try:
        if not path.is_file():
            return ""
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(_SETTINGS_MAX_BYTES)
    except (OSError, ValueError):
        return ""
