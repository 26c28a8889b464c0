"""Settings, data, personas."""

from tests.ui.screens.stage import Scenes, Stage

scenes = Scenes()


async def _open(stage: Stage, view: str) -> None:
    stage.session.go(view)  # type: ignore[arg-type]
    await stage.session.shell.idle()


@scenes.add("settings", "Theme", "Length")
async def settings(stage: Stage) -> None:
    await _open(stage, "settings")


@scenes.add("data", "Space", "Back up", "Restore")
async def data(stage: Stage) -> None:
    await _open(stage, "data")


@scenes.add("data-working", "Backing up …")
async def data_working(stage: Stage) -> None:
    await _open(stage, "data")
    state = stage.session.data.state
    state.busy, state.share = "Backing up", 0.4


@scenes.add("data-refused", "Type a folder")
async def data_refused(stage: Stage) -> None:
    await _open(stage, "data")
    state = stage.session.data.state
    state.busy, state.backup_error = "", "/media/stick is not there. Type a folder that is, or plug the stick in again."


@scenes.add("personas", "Coach", "New persona", widths=("wide",))
async def personas(stage: Stage) -> None:
    stage.session.data.state.backup_error = ""
    await _open(stage, "personas")


@scenes.add("personas", "Coach", widths=("phone",))
async def personas_phone(stage: Stage) -> None:
    stage.session.data.state.backup_error = ""
    await _open(stage, "personas")


@scenes.add("persona-form", "Starters", "Sampling")
async def persona_form(stage: Stage) -> None:
    await _open(stage, "personas")
    await stage.session.personas.edit(stage.session.personas.state.items[1])


@scenes.add("persona-form-refused", "expected")
async def persona_form_refused(stage: Stage) -> None:
    await _open(stage, "personas")
    await stage.session.personas.new()
    form = stage.session.personas.state.form
    assert form
    form._name, form._temperature = "Pilot", "warm"
    await stage.session.personas.save()


@scenes.add("persona-model", "gemma-3-4b, no longer here", below=True)
async def persona_model(stage: Stage) -> None:
    await _open(stage, "personas")
    await stage.session.personas.edit(stage.session.personas.state.items[1])
    form = stage.session.personas.state.form
    assert form
    form.model = "/home/ada/models/gemma-3-4b.gguf"
