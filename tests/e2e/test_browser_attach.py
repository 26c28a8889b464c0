"""Attach a PDF and ask, in a real browser, which hands the file over through the app's own server."""

from pathlib import Path

import pytest

from tests.chat.attached.test_files import made_pdf
from tests.e2e.flet_driver import CHROMIUM, Screen, chromium, munin

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM, reason="no Chromium here: install Debian's package chromium"),
]
SHOTS = Path(__file__).parents[1] / "shots"
FIELD = "Message Munin"
KEY = "The boathouse key hangs behind the green door."


def test_attach_a_pdf_and_ask(home: Path, tmp_path: Path) -> None:
    pages = [f"Page {n} is about the {n} lanterns.\nThey weigh what they weigh." for n in range(1, 13)]
    pages[8] = KEY
    (tmp_path / "report.pdf").write_bytes(made_pdf(pages))
    (tmp_path / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0")
    (tmp_path / "large.txt").write_bytes(b"x" * 20_000_001)
    with chromium() as browser, munin(home, "-m", "tests.e2e.browser_scripted_app", "Behind the green door.") as address:
        screen = Screen(browser, address, 390, 844, scheme="light")
        screen.wait_for("stays on this device")
        with screen.page.expect_file_chooser(timeout=90_000) as chooser:
            screen.tap("Attach files")
        chooser.value.set_files([tmp_path / "report.pdf", tmp_path / "photo.png", tmp_path / "large.txt"])
        screen.wait_for("12 pages")
        screen.wait_for("photo.png is a PNG picture.")
        screen.wait_for("large.txt has 20.1 MB.")
        screen.shoot(SHOTS / "phone-attached-light.png")
        screen.tap("Read report.pdf")
        screen.wait_for("Page 1 of 12")
        screen.shoot(SHOTS / "phone-attached-text-light.png")
        screen.tap("Close")
        screen.wait_gone("Page 1 of 12")
        screen.tap("Remove large.txt")
        screen.wait_gone("large.txt")

        screen.type(FIELD, "Where does the boathouse key hang?")
        screen.press("Enter")
        screen.wait_for("Behind the green door.")
        screen.wait_for("From report.pdf")
        screen.shoot(SHOTS / "phone-attached-asked-light.png")
        screen.tap("What was quoted of the files")
        screen.wait_for("Quoted from your files")
        screen.shoot(SHOTS / "phone-attached-used-light.png")
        assert screen.failures == [] and screen.foreign == []
        screen.close()
    held = b"".join(file.read_bytes() for file in home.rglob("*") if file.is_file())
    assert KEY.encode() in held and (tmp_path / "report.pdf").read_bytes() not in held  # its text is kept, the file is not
