"""Only what pyproject.toml cannot say: a wheel carries assets/, the catalogue and the starter's pins inside munin_app.

They lie beside munin_app in the repository, because there Flet looks for them when it packs the app. munin_app/paths.py
knows both places. The weights are not in the wheel: `munin models get` fetches them.
"""

from setuptools import find_packages, setup

BESIDE = {"munin_app.assets": "assets", "munin_app.models": "models", "munin_app.requirements": "requirements"}

setup(
    packages=[*find_packages(include=["munin_app*"]), *BESIDE],
    package_dir=BESIDE,
    package_data={
        "munin_app": ["locale/**/*.mo"],
        "munin_app.assets": ["**/*"],
        "munin_app.models": ["catalog.toml"],
        "munin_app.requirements": ["starter.txt"],
    },
    include_package_data=False,
)
