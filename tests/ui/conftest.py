"""What tests of the window share."""

from collections.abc import AsyncIterator

import pytest

from munin_app.bootstrap import Munin
from tests.ui.harness import OpenPage


@pytest.fixture(params=[(1280, 800), (390, 844)], ids=["wide", "phone"])
async def page(munin: Munin, request: pytest.FixtureRequest) -> AsyncIterator[OpenPage]:
    """At both sizes, over the `munin` of the test's own file."""
    async with OpenPage(munin, *request.param) as page:
        yield page
