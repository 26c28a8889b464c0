"""The Models page with what is here, what can be had and what is on its way; a model's settings; how fast it is."""

from dataclasses import replace
from pathlib import Path

from munin_app.domain.memories import VectorProgress
from munin_app.evaluation.speed.models import ModelSpeed
from munin_app.inference.fit import Fit, Judgement
from munin_app.library.downloads import Download, Phase
from munin_app.library.found import Found, FoundModel
from munin_app.library.models import InstalledModel, ModelOrigin
from munin_app.library.progress import Progress
from munin_app.ui.state import DownloadView
from tests.ui.screens.stage import Scenes, Stage

scenes = Scenes()
GB = 1_000_000_000
HERE = InstalledModel("scripted", Path("scripted.gguf"), 2_500_000_000, ModelOrigin.USER)
OTHER = InstalledModel("gemma-3-4b-it-Q4_K_M", Path("gemma.gguf"), 2_490_000_000, ModelOrigin.USER, linked=True)


async def _open(stage: Stage) -> None:
    """With two models here, and a machine with 8 GB free."""
    await stage.munin.change_settings(memory_on=True)
    stage.session.go("models")
    await stage.session.shell.idle()
    state = stage.session.settings.models
    state.entries, state.free_memory, state.free_disk = (HERE, OTHER), 8 * GB, 120 * GB
    fits = [Fit.WELL, Fit.TIGHT, Fit.TOO_BIG]
    state.judgements = {
        OTHER.id: Judgement(Fit.WELL, 8192, 3_600_000_000, 8 * GB),
        **{
            offer.entry.id: Judgement(fits[number % 3], 4096, (3, 7, 21)[number % 3] * GB, 8 * GB, estimated=True)
            for number, offer in enumerate(state.offers)
        },
    }


async def _downloads(stage: Stage, phase: Phase, error: str = "", **progress: object) -> None:
    await _open(stage)
    state = stage.session.settings.models
    offer = state.offers[0]
    total = offer.entry.size_bytes
    shown = Progress("receiving", total // 3, total, 4_200_000.0)
    state.downloads = (DownloadView(Download(offer.entry, phase, replace(shown, **progress), error)),)  # type: ignore[arg-type]
    stage.session.model.downloading = phase == "running"


@scenes.add("models", "Runs well", "In use", "Worth a try", "Get", widths=("wide",))
async def models(stage: Stage) -> None:
    await _open(stage)


@scenes.add("models", "Runs well", "In use", "Worth a try", widths=("phone",))
async def models_phone(stage: Stage) -> None:
    await _open(stage)


@scenes.add("models-none", "No model yet.")
async def none(stage: Stage) -> None:
    await _open(stage)
    stage.session.settings.models.entries = ()


@scenes.add("models-refused", "is no GGUF file", "Load anyway")
async def refused(stage: Stage) -> None:
    await _open(stage)
    state = stage.session.settings.models
    state.path, state.error_path = "/home/ada/notes.txt", str(OTHER.path)
    state.error, state.too_large = (
        "notes.txt is no GGUF file: it begins with other bytes. Choose a file that ends in .gguf.",
        True,
    )


@scenes.add("download-running", "Downloads", "Online for this download only")
async def running(stage: Stage) -> None:
    stage.session.settings.models.error = ""
    await _downloads(stage, "running")


@scenes.add("download-paused", "Paused", "Resume")
async def paused(stage: Stage) -> None:
    await _downloads(stage, "paused")


@scenes.add("download-failed", "Stopped", "Retry", "The connection")
async def failed(stage: Stage) -> None:
    await _downloads(stage, "failed", "The connection was lost. Press Retry: it goes on from where it was.")


@scenes.add("models-found", "Found in other apps", "Add", below=True)
async def found(stage: Stage) -> None:
    await _open(stage)
    state = stage.session.settings.models
    state.downloads = ()
    state.found = Found((FoundModel("llama-3.2-3b", "Ollama", (Path("llama.gguf"),), 2_020_000_000),))
    state.found_judgements = {"llama-3.2-3b": Judgement(Fit.TIGHT, 4096, 7 * GB, 8 * GB)}


@scenes.add("encoder-reading", "parts are read", "Go back", below=True)
async def encoder(stage: Stage) -> None:
    await _open(stage)
    stage.session.settings.models.found = Found()
    stage.session.encoders.state.progress = VectorProgress(1_200, 4_800, "all-MiniLM-L6-v2-int8", 40.0)


@scenes.add("model-sheet", "Set here for this model only.", "Temperature")
async def sheet(stage: Stage) -> None:
    await _open(stage)
    await stage.session.model_sheet.open(OTHER.path)


@scenes.add("model-sheet-refused", "expected a number")
async def sheet_refused(stage: Stage) -> None:
    await _open(stage)
    await stage.session.model_sheet.open(OTHER.path)
    stage.session.model_sheet.type("temperature", "warm")
    await stage.session.model_sheet.save()


async def _speed(stage: Stage) -> None:
    await _open(stage)
    stage.session.go("speed")
    await stage.session.shell.idle()
    stage.session.settings.models.entries = (HERE, OTHER)


@scenes.add("speed", "Chat pauses meanwhile", "Measure")
async def speed(stage: Stage) -> None:
    await _speed(stage)


@scenes.add("speed-running", "Measuring")
async def speed_running(stage: Stage) -> None:
    await _speed(stage)
    stage.session.speed.state.running, stage.session.speed.state.measuring = True, HERE.name


@scenes.add("speed-measured", "Reading", "Writing", "could not be measured", below=True)
async def speed_measured(stage: Stage) -> None:
    await _speed(stage)
    state = stage.session.speed.state
    state.running, state.measuring = False, ""
    state.speeds = (
        ModelSpeed("a", "Qwen3 4B Instruct", 118.0, 9.4, 3_400_000_000, False, 8192),
        ModelSpeed("b", "SmolLM2 135M", 640.0, 85.0, 310_000_000, True, 8192),
        ModelSpeed("c", "Broken 7B", error="broken.gguf is damaged. Choose another model."),
    )
