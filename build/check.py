"""Verifies what can be known of Munin's packages without the Flutter SDK. One line for each thing that is wrong.

    .venv/bin/python build/check.py            the settings, what would be packed, and what phones need
    .venv/bin/python build/check.py --start    also starts what would be packed, as a phone would

How Flet packs an app is told in build/README.md, with sources.
"""

import argparse
import asyncio
import compileall
import os
import re
import shutil
import struct
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROGRAM = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROGRAM))

from munin_app.library.catalog import read_catalog  # noqa: E402
from munin_app.library.starter import starter_files  # noqa: E402
from munin_app.library.verify import is_intact  # noqa: E402

PHONES = {"Android": "android", "iOS": "ios"}
PYTHON = "3.14"  # the newest that Flet bundles and requires-python allows

PACKED = {"LICENSE", "assets", "main.py", "models", "munin_app"}
"""Everything else at the top is left out."""
PACKED_MAX_BYTES = 140_000_000
"""Google Play takes 200 MB for all; Python, Flutter and the packages are about 60 MB for one kind of processor."""
FILE_MAX_BYTES = 100_000_000

KEYS: dict[str, set[str]] = {
    "": {"org", "bundle_id", "product", "company", "copyright", "build_number", "app", "splash", "boot_screen"}
    | {"windows", "macos", "linux", "android", "ios"},
    "app": {"path", "exclude"},
    "splash": {"color", "dark_color"},
    "boot_screen": {"flet"},
    "boot_screen.flet": {"bgcolor_light", "bgcolor_dark", "text_color_light", "text_color_dark", "spinner_color_light"}
    | {"spinner_color_dark", "spinner_size", "prepare_message", "startup_message"},
    "windows": {"artifact"},
    "macos": {"artifact", "target_arch", "info"},
    "linux": {"artifact", "categories"},
    "android": {
        "min_sdk_version",
        "target_arch",
        "adaptive_icon_background",
        "dependencies",
        "permission",
        "manifest_application",
    },
    "ios": {"dependencies", "info"},
}
"""What Munin sets, of what Flet 1.0 reads; the tables that are not listed hold names of the platform."""
PERMISSIONS = {"android.permission.INTERNET"}
IMAGES = {"assets/icon.png": 1024, "assets/splash.png": 1024}

ABSENT_ON_PHONES = ("flet_web", "flet_desktop", "uvicorn", "fastapi", "pydantic", "sqlite_vec", "psutil", "hf_xet")
START_SECONDS = 120
REGISTER_CLIENT, INVOKE_METHOD = 1, 5  # of Flet's protocol
STARTER_TEXT = b"small starter model"
LAUNCHER = """
import runpy, sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {absent}:
            raise ModuleNotFoundError(f"{{name}} is not on phones", name=name)
sys.meta_path.insert(0, Absent())
sys.path.insert(0, {app!r})
sys.argv = ["main.pyc"]
runpy.run_path({main!r}, run_name="__main__")
"""


def read_project(program: Path = PROGRAM) -> dict[str, Any]:
    return tomllib.loads((program / "pyproject.toml").read_text(encoding="utf-8"))


def settings_problems(flet: dict[str, Any]) -> Iterator[str]:
    """Of [tool.flet]: keys that Flet does not read, ids that a platform refuses, permissions that nobody stated."""
    for table, known in KEYS.items():
        section: Any = flet
        for name in filter(None, table.split(".")):
            section = section.get(name, {})
        yield from (f"[tool.flet{'.' * bool(table)}{table}] has no key {key}" for key in sorted(section.keys() - known))
        yield from (f"[tool.flet{'.' * bool(table)}{table}] lacks {key}" for key in sorted(known - section.keys()))
    for key in ("org", "bundle_id"):
        # Android takes no hyphen, iOS no underscore
        if not re.fullmatch(r"[a-z][a-z0-9]*(\.[a-z][a-z0-9]*)+", str(flet.get(key))):
            yield f"{key} is {flet.get(key)!r}; expected words of small letters and digits with dots between them"
    for permission in sorted(flet.get("android", {}).get("permission", {}).keys() - PERMISSIONS):
        yield f"{permission} is asked for on Android, and build/check.py knows no reason"


def packed_files(program: Path, exclude: list[str]) -> list[Path]:
    """What Flet copies, relative to `program`: all but `build`, what is excluded by its exact path, and __pycache__."""
    left_out = {"build", *exclude}
    found = []
    for folder, folders, files in os.walk(program):
        here = Path(folder).relative_to(program)
        folders[:] = sorted(name for name in folders if (here / name).as_posix() not in left_out and name != "__pycache__")
        found += [here / name for name in sorted(files) if (here / name).as_posix() not in left_out]
    return found


def packing_problems(program: Path, files: list[Path]) -> Iterator[str]:
    """Of what would be packed: too much, too little, too large."""
    for name in sorted({path.parts[0] for path in files} - PACKED):
        yield f"{name} would be packed; add it to [tool.flet.app] exclude, or to PACKED in build/check.py"
    for path in (
        *map(Path, IMAGES),
        Path("main.py"),
        Path("models/catalog.toml"),
        Path("munin_app/locale/de/LC_MESSAGES/munin.mo"),
    ):
        if path not in files:
            yield f"{path} would not be packed"
    sizes = {path: (program / path).stat().st_size for path in files}
    if sum(sizes.values()) > PACKED_MAX_BYTES:
        yield f"{sum(sizes.values()):,} bytes would be packed; at most {PACKED_MAX_BYTES:,} are meant to be"
    yield from (f"{path} has {size:,} bytes; at most {FILE_MAX_BYTES:,}" for path, size in sizes.items() if size > FILE_MAX_BYTES)


def program_problems(program: Path) -> Iterator[str]:
    """Of the entry, the images and the starter models."""
    if '__name__ == "__main__"' not in (program / "main.py").read_text(encoding="utf-8"):
        yield "main.py does not guard its start: a spawned child would open a second window"
    for name, least in IMAGES.items():
        header = (program / name).read_bytes()[:24]
        width, height = struct.unpack(">II", header[16:24]) if header.startswith(b"\x89PNG") else (0, 0)
        if width != height or width < least:
            yield f"{name} is {width} × {height}; expected a square PNG of {least} or more"
    for file in starter_files(read_catalog(program / "models" / "catalog.toml"), program / "models" / "starter"):
        if not is_intact(file.target, file.expected):
            yield f"{file.target.name} is missing or damaged. Run: make setup"


def phone_problems(project: dict[str, Any], packages: dict[str, Any], system: str) -> Iterator[str]:
    """Of the packages that pip would take for a phone, and of all that they ask for. `system`: Android or iOS."""
    known = {**packages["recipe"], **packages["pure"]}
    environment = {"platform_system": system, "python_version": PYTHON, "python_full_version": PYTHON + ".0", "extra": ""}
    wanted = [*project["project"]["dependencies"], *project["tool"]["flet"][PHONES[system]]["dependencies"]]
    waiting, seen = [Requirement(text) for text in wanted], set[str]()
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if requirement.marker and not requirement.marker.evaluate(environment):
            continue
        entry = known.get(name)
        if entry is None:
            yield f"{name} has neither a recipe nor a pure wheel that build/phone_packages.toml names ({system})"
            continue
        if "version" in entry and not requirement.specifier.contains(entry["version"]):
            yield f"{requirement} is asked for on {system}, and there is {entry['version']}"
        if name not in seen and system in entry.get("on", PHONES):
            seen.add(name)
            waiting += map(Requirement, entry["needs"] if "needs" in entry else metadata.requires(name) or [])


def all_problems(program: Path = PROGRAM) -> list[str]:
    project = read_project(program)
    packages = tomllib.loads((program / "build" / "phone_packages.toml").read_text(encoding="utf-8"))
    files = packed_files(program, project["tool"]["flet"]["app"]["exclude"])
    return [
        *settings_problems(project["tool"]["flet"]),
        *packing_problems(program, files),
        *program_problems(program),
        *(problem for system in PHONES for problem in phone_problems(project, packages, system)),
    ]


def pack(program: Path, target: Path) -> None:
    """As Flet does: what is not excluded, compiled, without sources, and not to be written to."""
    for path in packed_files(program, read_project(program)["tool"]["flet"]["app"]["exclude"]):
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(program / path, target / path)
    if not compileall.compile_dir(target, quiet=1, legacy=True):
        raise SystemExit("What would be packed does not compile.")
    for path in sorted(target.rglob("*")):
        if path.suffix == ".py":
            path.unlink()
        else:
            path.chmod(0o555 if path.is_dir() else 0o444)
    target.chmod(0o555)


async def start(app: Path, home: Path) -> str:
    """Runs a packed app as Android does, from another folder, with nothing in its environment, and shows its first page.

    Returns what is wrong; empty: it said which model it found. It is ended in the end.
    """
    address = home / "flet.sock"
    environment = {"FLET_PLATFORM": "android", "FLET_APP_STORAGE_DATA": str(home / "data"), "FLET_SERVER_UDS_PATH": str(address)}
    (home / "data").mkdir()
    code = LAUNCHER.format(absent=ABSENT_ON_PHONES, app=str(app), main=str(app / "main.pyc"))
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-I", "-c", code, cwd=home, env=environment, stdout=pipe, stderr=asyncio.subprocess.STDOUT
    )
    assert process.stdout is not None
    printing = asyncio.create_task(process.stdout.read())
    showing = asyncio.create_task(_first_page(address))
    done, _ = await asyncio.wait({printing, showing}, timeout=START_SECONDS, return_when=asyncio.FIRST_COMPLETED)
    showing.cancel()
    if process.returncode is None:
        process.kill()
    said = (await printing).decode(errors="replace")
    await process.wait()
    return "" if showing in done and not showing.exception() else f"The packed app showed no first page. {said}"


async def _first_page(address: Path) -> None:
    """Speaks Flet's protocol to the app until its page tells of the starter model."""
    import msgpack

    while not address.is_socket():  # noqa: ASYNC110, ASYNC240 - another process makes it, and nothing else tells
        await asyncio.sleep(0.1)
    reader, writer = await asyncio.open_unix_connection(str(address))
    page = {"route": "/", "platform": "android", "width": 390, "height": 844, "pwa": False, "web": False, "debug": False}
    await _send(writer, REGISTER_CLIENT, {"session_id": "", "page_name": "", "page": page})
    while STARTER_TEXT not in (packet := await reader.readexactly(int.from_bytes(await reader.readexactly(4), "little"))):
        action, body = msgpack.unpackb(packet[1:], strict_map_key=False)
        if action == INVOKE_METHOD:
            await _send(
                writer, action, {"control_id": body["control_id"], "call_id": body["call_id"], "result": None, "error": None}
            )
    writer.close()


async def _send(writer: asyncio.StreamWriter, action: int, body: dict[str, Any]) -> None:
    import msgpack

    packet = b"\x00" + msgpack.packb([action, body])  # 0: a message, not a data channel
    writer.write(len(packet).to_bytes(4, "little") + packet)
    await writer.drain()


def state_of(folder: Path) -> dict[Path, tuple[int, int]]:
    """Size and time of every file, to see that nothing was written (root writes where it must not)."""
    return {path: (path.stat().st_size, path.stat().st_mtime_ns) for path in folder.rglob("*")}


def start_problems(program: Path = PROGRAM) -> list[str]:
    with tempfile.TemporaryDirectory() as work:
        app, home = Path(work) / "app", Path(work) / "home"
        app.mkdir()
        home.mkdir()
        pack(program, app)
        before = state_of(app)
        problem = asyncio.run(start(app, home))
        written = "" if state_of(app) == before else "The packed app wrote into its own folder."
        return [*filter(None, [problem, written])]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--start", action="store_true", help="also start what would be packed")
    options = parser.parse_args()
    problems = all_problems()
    if options.start and not problems:
        problems = start_problems()
    print("\n".join(problems) or "Nothing wrong was found.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
