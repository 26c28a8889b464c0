"""What Munin is built from, and what works here."""

from munin_app.domain.memories import ArmState, ArmStatus
from munin_app.ui.actions.about import report
from munin_app.ui.components.dialogs import reading
from tests.ui.screens.stage import Scenes, Stage

scenes = Scenes()


async def _open(stage: Stage) -> None:
    stage.session.open_setting("version")
    await stage.session.shell.idle()


@scenes.add("about", "Works offline.", "Licences", "Report", below=True)
async def about(stage: Stage) -> None:
    await _open(stage)


@scenes.add("versions-of-parts", "What Munin is built on", "SQLite")
async def versions(stage: Stage) -> None:
    await _open(stage)
    stage.session.about.show_versions()


@scenes.add("licences", "Licences", "Models in use", "Packages")
async def licences(stage: Stage) -> None:
    await _open(stage)
    await stage.session.about.show_licences()


@scenes.add("licence", "Permission is hereby granted")
async def licence(stage: Stage) -> None:
    from munin_app import about as parts

    await _open(stage)
    one = next(one for one in parts.packages() if "Permission is hereby granted" in one.text)
    await stage.session.about.show_text(one)


@scenes.add("report", "[ready] disk", "Copy")
async def doctor(stage: Stage) -> None:
    await _open(stage)
    parts = (
        ArmStatus("disk", ArmState.READY, "120 GB free."),
        ArmStatus("encoder", ArmState.OFF, "The encoder's files are not here: recall goes by words only.", "Run `make setup`."),
    )
    shell = stage.session.shell
    copy = ("Copy", "tint", lambda: shell.copy(report(parts), "Report"))
    shell.show_dialog(reading("Report", report(parts), [copy, ("Close", "plain", shell.close_dialog)]))  # type: ignore[list-item]
