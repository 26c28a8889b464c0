"""What `munin doctor` says of models that are not like the starter."""

import pytest

from munin_app import doctor, paths
from munin_app.config import Settings, save_settings
from tests.model.inference.conftest import TinyModel

pytestmark = pytest.mark.model


@pytest.mark.parametrize(("architecture", "warns"), [("mamba", True), ("llama", False)])
async def test_model_that_goes_back_only_a_few_turns_is_named(tiny_model: TinyModel, architecture: str, warns: bool) -> None:
    paths.ensure_data_folder()
    save_settings(paths.settings_file(), Settings(model_path=str(tiny_model(architecture))))
    (model,) = [part for part in await doctor.examine() if part.name == "model"]
    assert ("evaluates the conversation again" in model.detail) == warns
