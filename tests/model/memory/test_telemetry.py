"""onnxruntime reports to its makers unless it is told not to, from native code that no ban on Python's sockets sees."""

import os
import subprocess
import sys
from pathlib import Path

from munin_app.memory import EncoderManifest
from munin_app.paths import program_folder

LOAD = """
import sys
from pathlib import Path
from munin_app.memory import EncoderManifest
from munin_app.memory.encoder import OnnxEmbedder
OnnxEmbedder(EncoderManifest("m", Path(sys.argv[1]), 384)).embed_query("Hello")
"""


def test_the_encoder_makes_no_device_id_and_queues_no_event(manifest: EncoderManifest, tmp_path: Path) -> None:
    """With nothing in the environment: a CI variable would silence it too."""
    environment = {"PYTHONPATH": os.fspath(program_folder()), "HOME": os.fspath(tmp_path), "USERPROFILE": os.fspath(tmp_path)}
    subprocess.run([sys.executable, "-c", LOAD, manifest.folder], env=environment, check=True, timeout=120)
    assert list(tmp_path.rglob("*")) == []
